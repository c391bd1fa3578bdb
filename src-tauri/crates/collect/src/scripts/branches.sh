# Which branches a repository has, its own and those of its remotes, the newest first; and which of them are checked out.
# Argument: its git directory.

branches() {
  enter 0 "$1" || return 0
  open 1 branches
  err=$(g --git-dir="$top" for-each-ref --sort=-committerdate --count=5000 \
    --format='%(refname)%00%(committerdate:unix)%00%(symref)' refs/heads refs/remotes 2>&1 >&4)
  code=$?
  words_of "$err"
  shut "$code" "$why"
  open 1 trees
  (g --git-dir="$top" worktree list --porcelain 2>/dev/null) | sed -n 's/^branch //p' 3<&- >&4
  shut 0 ''
  say V 1 "$close"
}
