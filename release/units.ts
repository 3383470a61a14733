/** The systemd units: one process with all roles, or processes of one role each. */
import { runtimeFlags } from "./runtime.ts";

interface Unit {
  title: string;
  /** Arguments of the program. */
  command: string;
  /** Set before the settings of the machine, which win. */
  environment?: string;
  /** Units that must not run at the same time. */
  conflicts: string;
}

const declared: Record<string, Unit> = {
  "skein.service": {
    title: "Skein",
    command: "serve",
    conflicts: "skein-api.service skein-relay.service skein-worker.service",
  },
  "skein-api.service": { title: "Skein: requests", command: "serve --roles api", conflicts: "skein.service" },
  "skein-relay.service": { title: "Skein: event relay", command: "serve --roles relay", conflicts: "skein.service" },
  "skein-worker.service": {
    title: "Skein: jobs",
    command: "serve --roles worker",
    // The relay's is 9992.
    environment: "SKEIN_HEALTH_PORT=9993",
    conflicts: "skein.service",
  },
};

/** MemoryDenyWriteExecute is missing because Node compiles JavaScript to machine code. */
const sandbox = `NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
UMask=0027`;

const unit = ({ title, command, environment, conflicts }: Unit): string => `[Unit]
Description=${title}
Documentation=file:///usr/share/doc/skein
After=network-online.target postgresql.service nats-server.service
Wants=network-online.target
Conflicts=${conflicts}
# A server that waits for its database keeps trying.
StartLimitIntervalSec=0

[Service]
Type=exec
User=skein
Group=skein
${environment === undefined ? "" : `Environment=${environment}\n`}EnvironmentFile=/etc/skein/skein.env
EnvironmentFile=-/etc/skein/secret.env
# Settings of this unit alone.
EnvironmentFile=-/etc/skein/%p.env
# Makes starts faster.
Environment=NODE_COMPILE_CACHE=/var/cache/skein
ExecStart=/usr/lib/skein/runtime/node ${runtimeFlags.join(" ")} /usr/lib/skein/lib/main.js ${command}
Restart=always
RestartSec=2
# Longer than SKEIN_DRAIN_DELAY_SECONDS and SKEIN_SHUTDOWN_SECONDS together.
TimeoutStopSec=45
KillMode=mixed
LimitNOFILE=65536
StateDirectory=skein
StateDirectoryMode=0750
CacheDirectory=skein
CacheDirectoryMode=0750

# The process can write to these two folders and to no other.
${sandbox}

[Install]
WantedBy=multi-user.target
`;

export const units: Record<string, string> = Object.fromEntries(
  Object.entries(declared).map(([name, each]) => [name, unit(each)]),
);
