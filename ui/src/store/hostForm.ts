// What a person enters about a host: text in fields, checked before it leaves the window.

import type { AliasRow, HostRow, NewHost, TransportKind } from "../backend/backend";

/** The fields of a host. */
export interface HostFields {
  readonly label: string;
  readonly destination: string;
  readonly user: string;
  readonly port: string;
  readonly identityFile: string;
  readonly transport: TransportKind;
  /** Seconds as text; empty for the usual. */
  readonly every: string;
}

export const EMPTY: HostFields = {
  label: "",
  destination: "",
  user: "",
  port: "",
  identityFile: "",
  transport: "automatic",
  every: "",
};

/** The fields of a host that is there. */
export function fieldsOf(host: HostRow): HostFields {
  const ssh = host.ssh;
  return {
    label: host.label,
    destination: ssh?.destination ?? "",
    user: ssh?.user ?? "",
    port: ssh?.port == null ? "" : String(ssh.port),
    identityFile: ssh?.identityFile ?? "",
    transport: ssh?.transport ?? "automatic",
    every: host.every === null ? "" : String(host.every),
  };
}

/** The fields of a host of the ssh configuration. */
export function fieldsOfAlias(alias: AliasRow): HostFields {
  return { ...EMPTY, label: alias.alias, destination: alias.alias };
}

/** Why the port that was entered is none; `null` if it is one. */
export function portTrouble(fields: HostFields): string | null {
  const text = fields.port.trim();
  if (text === "") return null;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return null;
  return `${text} is no port: give a number from 1 to 65535.`;
}

/** What is sent. */
export function formOf(fields: HostFields): NewHost {
  return {
    label: fields.label.trim(),
    destination: fields.destination.trim(),
    user: fields.user.trim() || null,
    port: fields.port.trim() === "" ? null : Number(fields.port),
    identityFile: fields.identityFile.trim() || null,
    transport: fields.transport,
    every: fields.every === "" ? null : Number(fields.every),
  };
}

export const TRANSPORTS: readonly (readonly [TransportKind, string])[] = [
  ["automatic", "Automatic"],
  ["own", "Rollcall alone"],
  ["openSsh", "System OpenSSH"],
];

/** How often a host is called; with what a person chose elsewhere. */
export function cadences(current: string, local: boolean): readonly (readonly [string, string])[] {
  const usual: [string, string][] = [
    ["", local ? "As usual: every minute" : "As usual: every 2 minutes"],
    ["30", "Every 30 seconds"],
    ["60", "Every minute"],
    ["300", "Every 5 minutes"],
    ["900", "Every 15 minutes"],
    ["3600", "Every hour"],
    ["86400", "Once a day"],
  ];
  if (usual.some(([value]) => value === current)) return usual;
  return [...usual, [current, `Every ${current} seconds`]];
}
