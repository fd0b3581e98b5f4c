import type { Container, PodSpec } from './chart.ts'

type Rule<Of> = { needs: string; holds: (of: Of) => boolean }

/** The Pod Security Standard `restricted`, and what Herald's pods do without besides. */
const OF_PODS: Rule<PodSpec>[] = [
  { needs: 'no token', holds: (pod) => pod['automountServiceAccountToken'] === false },
  { needs: 'no addresses of others', holds: (pod) => pod['enableServiceLinks'] === false },
  {
    needs: 'nothing of its host',
    holds: (pod) => !['hostNetwork', 'hostPID', 'hostIPC', 'hostAliases'].some((key) => key in pod),
  },
  { needs: 'no root', holds: ({ securityContext }) => securityContext['runAsNonRoot'] === true },
  { needs: 'a user', holds: ({ securityContext }) => Number(securityContext['runAsUser']) > 0 },
  { needs: 'seccomp', holds: ({ securityContext }) => hasSeccomp(securityContext) },
  { needs: 'no sysctls', holds: ({ securityContext }) => !('sysctls' in securityContext) },
  {
    needs: 'harmless volumes',
    holds: ({ volumes = [] }) =>
      volumes.every((volume) => HARMLESS.some((type) => type in volume) && !('hostPath' in volume)),
  },
  {
    needs: 'bounded temporary files',
    holds: ({ volumes = [] }) =>
      volumes.every(
        ({ emptyDir }) => emptyDir === undefined || 'sizeLimit' in (emptyDir as object),
      ),
  },
]
const HARMLESS = ['configMap', 'emptyDir', 'persistentVolumeClaim']

const OF_CONTAINERS: Rule<Container>[] = [
  {
    needs: 'no escalation',
    holds: ({ securityContext }) =>
      securityContext['allowPrivilegeEscalation'] === false && !('privileged' in securityContext),
  },
  {
    needs: 'no writable root',
    holds: ({ securityContext }) => securityContext['readOnlyRootFilesystem'] === true,
  },
  { needs: 'no root', holds: ({ securityContext }) => securityContext['runAsNonRoot'] === true },
  {
    needs: 'no user of its own',
    holds: ({ securityContext }) => !('runAsUser' in securityContext),
  },
  { needs: 'seccomp', holds: ({ securityContext }) => hasSeccomp(securityContext) },
  {
    needs: 'no capabilities',
    holds: ({ securityContext }) =>
      JSON.stringify(securityContext['capabilities']) === '{"drop":["ALL"]}',
  },
  {
    needs: 'no port of the host',
    holds: ({ ports = [] }) => ports.every((port) => !('hostPort' in port)),
  },
  {
    needs: 'requests, and a limit of memory',
    holds: ({ resources }) => {
      const { requests = {}, limits = {} } = resources as Record<string, object>
      return 'cpu' in requests && 'memory' in requests && 'memory' in limits
    },
  },
]

/** What a pod lacks, one line each. */
export function violationsOf({ owner, spec }: { owner: string; spec: PodSpec }): string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  return [
    ...broken(OF_PODS, spec).map((needs) => `${owner} needs ${needs}`),
    ...containers.flatMap((container) =>
      broken(OF_CONTAINERS, container).map((needs) => `${owner} ${container.name} needs ${needs}`),
    ),
  ]
}

function broken<Of>(rules: Rule<Of>[], of: Of): string[] {
  return rules.filter(({ holds }) => !holds(of)).map(({ needs }) => needs)
}

function hasSeccomp(securityContext: Record<string, unknown>): boolean {
  return JSON.stringify(securityContext['seccompProfile']) === '{"type":"RuntimeDefault"}'
}
