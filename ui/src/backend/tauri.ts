// The only place that knows of the desktop shell.

import { commands, events } from "../bindings";
import { apiError, Failure, type ApiError, type Backend, type BackendEvents, type Unlisten } from "./backend";

type Answer<T> = { status: "ok"; data: T } | { status: "error"; error: ApiError };

async function answered<T>(answer: Promise<Answer<T>>): Promise<T> {
  let settled: Answer<T>;
  try {
    settled = await answer;
  } catch (thrown) {
    throw new Failure(apiError(thrown));
  }
  // The bindings claim the type; failures of the framework itself come through here as bare strings.
  if (settled.status === "error") throw new Failure(apiError(settled.error));
  return settled.data;
}

async function nothing(answer: Promise<Answer<null>>): Promise<void> {
  await answered(answer);
}

/** The application behind the window. */
export const tauri: Backend = {
  overview: () => answered(commands.overview()),
  workspaces: (after) => answered(commands.workspaces(after)),
  changesSince: (revision) => answered(commands.changesSince(revision)),
  workspace: (id) => answered(commands.workspace(id)),
  lookCloser: (job, id) => answered(commands.lookCloser(job, id)),
  measure: (job, id) => answered(commands.measure(job, id)),
  details: (job, id) => answered(commands.details(job, id)),
  deletions: (ids) => answered(commands.deletions(ids)),
  checkDeletions: (job, ids) => answered(commands.checkDeletions(job, ids)),
  delete: (forms) => answered(commands.delete(forms)),
  pending: () => answered(commands.pending()),
  retryDeletion: (id, epoch) => nothing(commands.retryDeletion(id, epoch)),
  agreeAgain: (form, epoch) => nothing(commands.agreeAgain(form, epoch)),
  cancelDeletion: (id) => nothing(commands.cancelDeletion(id)),
  releaseDeletion: (id) => nothing(commands.releaseDeletion(id)),
  trash: () => answered(commands.trash()),
  restore: (host, id, path) => answered(commands.restore(host, id, path)),
  emptyTrash: (host, id) => nothing(commands.emptyTrash(host, id)),
  measureTrash: (job, host, id) => answered(commands.measureTrash(job, host, id)),
  lock: (id, reason) => nothing(commands.lock(id, reason)),
  unlock: (id) => nothing(commands.unlock(id)),
  moveWorkspace: (id, to) => nothing(commands.moveWorkspace(id, to)),
  repair: (id, at) => nothing(commands.repair(id, at)),
  prune: (id) => answered(commands.prune(id)),
  creation: (of) => answered(commands.creation(of)),
  placement: (of, branch, folder) => answered(commands.placement(of, branch, folder)),
  createWorktree: (form) => answered(commands.createWorktree(form)),
  fetch: (job, ids) => answered(commands.fetch(job, ids)),
  openers: (id) => answered(commands.openers(id)),
  openWith: (id, opener) => nothing(commands.openWith(id, opener)),
  openPage: (id) => nothing(commands.openPage(id)),
  cleanUp: (guardDays) => answered(commands.cleanUp(guardDays)),
  measureAll: (job, ids) => nothing(commands.measureAll(job, ids)),
  onlyHere: (host) => answered(commands.onlyHere(host)),
  exportOnlyHere: (host, file, replace) => answered(commands.exportOnlyHere(host, file, replace)),
  search: (job, form) => answered(commands.search(job, form)),
  registerFound: (job, chosen) => answered(commands.registerFound(job, chosen)),
  endJob: (job) => nothing(commands.endJob(job)),
  chooseBase: (root, base) => nothing(commands.chooseBase(root, base)),
  register: (host, path) => answered(commands.register(host, path)),
  chooseFolders: () => answered(commands.chooseFolders()),
  releaseRoot: (root, discard) => nothing(commands.releaseRoot(root, discard)),
  sshAliases: () => answered(commands.sshAliases()),
  addHost: (host) => answered(commands.addHost(host)),
  trustHostKey: (host, fingerprint) => nothing(commands.trustHostKey(host, fingerprint)),
  testHost: (form) => answered(commands.testHost(form)),
  editHost: (host, form) => answered(commands.editHost(host, form)),
  hostTrace: (host) => answered(commands.hostTrace(host)),
  replaceHostKey: (host, fingerprint, label) => nothing(commands.replaceHostKey(host, fingerprint, label)),
  reclaimHost: (host, forgotten) => nothing(commands.reclaimHost(host, forgotten)),
  eraseForgotten: (forgotten) => nothing(commands.eraseForgotten(forgotten)),
  prompts: () => answered(commands.prompts()),
  answerPrompt: (id, answers, keep) => nothing(commands.answerPrompt(id, answers, keep)),
  cancelPrompt: (id) => nothing(commands.cancelPrompt(id)),
  setSuspended: (host, suspended) => nothing(commands.setSuspended(host, suspended)),
  forgetHost: (host) => nothing(commands.forgetHost(host)),
  syncNow: (host) => nothing(commands.syncNow(host)),
  annotate: (id, patch) => answered(commands.annotate(id, patch)),
  annotateAll: (forms) => nothing(commands.annotateAll(forms)),
  untrackAll: (ids) => nothing(commands.untrackAll(ids)),
  retrackAll: (ids) => nothing(commands.retrackAll(ids)),
  addGroup: (name, parent) => answered(commands.addGroup(name, parent)),
  renameGroup: (id, name) => nothing(commands.renameGroup(id, name)),
  removeGroup: (id) => nothing(commands.removeGroup(id)),
  arrangeGroups: (parent, order) => nothing(commands.arrangeGroups(parent, order)),
  regroup: (members, orders) => nothing(commands.regroup(members, orders)),
  saveView: (id, name, definition) => answered(commands.saveView(id, name, definition)),
  removeView: (id) => nothing(commands.removeView(id)),
  arrangeViews: (order) => nothing(commands.arrangeViews(order)),
  setPreferences: (preferences) => nothing(commands.setPreferences(preferences)),
  texts: (words) => answered(commands.texts(words)),
  relink: (id, to) => nothing(commands.relink(id, to)),
  forgetMissing: (ids) => nothing(commands.forgetMissing(ids)),
  counterparts: (ids, host) => answered(commands.counterparts(ids, host)),
  searchPlaces: () => answered(commands.searchPlaces()),
  openAddress: (url) => nothing(commands.openAddress(url)),
  openLink: (id) => nothing(commands.openLink(id)),
  backUpNow: () => answered(commands.backUpNow()),
  decideAbsence: (host, shown, accept) => nothing(commands.decideAbsence(host, shown, accept)),
  agreeToMachine: (host, machine) => nothing(commands.agreeToMachine(host, machine)),
  settleConflict: (root, claim) => nothing(commands.settleConflict(root, claim)),
  exportAnnotations: (file, replace) => answered(commands.exportAnnotations(file, replace)),
  importAnnotations: (file, mode, dryRun) => answered(commands.importAnnotations(file, mode, dryRun)),
  chooseFile: (write) => answered(commands.chooseFile(write)),
  reopen: () => nothing(commands.reopen()),
  backups: () => answered(commands.backups()),
  restoreBackup: (name) => nothing(commands.restoreBackup(name)),
  startAnew: () => nothing(commands.startAnew()),
  journal: (before, filter) => answered(commands.journal(before, filter)),
  journalSeen: (number) => nothing(commands.journalSeen(number)),
  journalDays: (host, weeks) => answered(commands.journalDays(host, weeks)),
  async listen<K extends keyof BackendEvents>(
    event: K,
    heard: (payload: BackendEvents[K]) => void,
  ): Promise<Unlisten> {
    try {
      // Each event's payload is its own type; indexing by a generic key loses that pairing.
      const source = events[event] as unknown as {
        listen(handler: (event: { payload: BackendEvents[K] }) => void): Promise<Unlisten>;
      };
      return await source.listen(({ payload }) => heard(payload));
    } catch (thrown) {
      throw new Failure(apiError(thrown));
    }
  },
};
