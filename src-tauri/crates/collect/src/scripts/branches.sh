# Which branches a repository has, its own and those of its remotes, the newest first; and which of them are checked out.
# Arguments: its git directory, and what tells it from others.

branches() {
  top=$1
  if is_hung "$top"; then
    say X 0 hung '' "$why"
    return 0
  fi
  enter 0 "$top" || return 0
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
