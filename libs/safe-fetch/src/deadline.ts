import { DownloadRefused, type RefusalReason } from './download-refused.ts'

export type Deadline = { signal: AbortSignal } & Disposable

/**
 * A signal that aborts after `ms` milliseconds, or with its parent. Its reason is always a DownloadRefused. It must be
 * disposed of, or its timer keeps the process alive until the time is over.
 */
export function startDeadline(
  ms: number,
  reason: RefusalReason,
  parent: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController()
  const onParent = () => controller.abort(asRefusal(parent?.reason))
  const timer = setTimeout(() => controller.abort(new DownloadRefused(reason)), ms)
  parent?.addEventListener('abort', onParent, { once: true })
  if (parent?.aborted) onParent()
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      parent?.removeEventListener('abort', onParent)
    },
  }
}

function asRefusal(reason: unknown): DownloadRefused {
  if (reason instanceof DownloadRefused) return reason
  return new DownloadRefused('aborted', { cause: reason })
}
