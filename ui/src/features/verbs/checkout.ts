import type { BranchRow, CheckoutForm } from "../../backend/backend";

/** `origin/feature/a` without the remote's name. */
export const withoutRemote = (name: string) => name.slice(name.indexOf("/") + 1);

/** How a repository can have a branch checked out in a new worktree, or a sentence why it cannot. */
export function checkoutOf(
  branch: string,
  branches: readonly BranchRow[],
): { readonly checkout: CheckoutForm | null; readonly words: string } {
  const local = branches.find((it) => !it.remote && it.name === branch);
  if (local !== undefined) {
    return local.checkedOut
      ? { checkout: null, words: `${branch} is checked out there already.` }
      : { checkout: { is: "existing", branch }, words: "" };
  }
  const remote = branches.find((it) => it.remote && withoutRemote(it.name) === branch);
  if (remote !== undefined) return { checkout: { is: "remote", branch, follows: remote.id }, words: "" };
  return { checkout: null, words: `No branch ${branch} is known there. Push it here, then fetch there.` };
}
