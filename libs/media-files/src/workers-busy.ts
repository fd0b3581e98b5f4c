/** All media workers are busy and as many files wait as may. Nothing was read; the same call may be made again later. */
export class WorkersBusy extends Error {
  override name = 'WorkersBusy'
}
