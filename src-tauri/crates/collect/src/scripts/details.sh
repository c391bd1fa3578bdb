# What a person sees of one workspace who opens it: which files are changed, which commits are on no remote, what was
# committed last, and what its README begins with. Arguments: what it is, and its path. Names and words may be any bytes,
# so they are told in raw blocks; each is cut off where nobody would read on.

details() {
  enter 0 "$2" || return 1
  path=$top ceiling=${top%/*} number=1 filters= doubt=
  open 1 readme
  for line in README.md README README.txt README.rst README.adoc README.org readme.md Readme.md; do
    if [ -f "$path/$line" ] && [ -r "$path/$line" ]; then
      head -c 4000 "$path/$line" 2>/dev/null 3<&- | tr -d '\000' 3<&- >&4
      break
    fi
  done
  shut 0 ''
  if [ "$1" != directory ]; then
    if git_dir_of_path; then
      [ "$(g -C "$path" rev-parse --is-bare-repository 2>/dev/null)" = true ] || changed
      commits_here
    else
      open 1 changed
      shut 1 "$why"
      open 1 recent
      shut 1 "$why"
    fi
  fi
  say V 1 "$close"
}

# The records of `status`, and then what it ended with. Changed files under a content filter follow: whether they are
# changed only the filter could tell.
changed() {
  more_filters
  submodules=
  if filters_can_be_overridden; then submodules_of "$dir"; fi
  open 1 changed
  if [ -n "$doubt" ]; then
    shut 1 "$doubt"
    return 0
  fi
  {
    (unfiltered -C "$path" status --porcelain=v2 --untracked-files=normal --ignore-submodules="$submodules" -z 2>/dev/null)
    printf 'x%s\000' "$?"
  } | head -c 100000 3<&- >&4
  shut 0 ''
  [ -n "$filters" ] || return 0
  open 1 filtered
  (unfiltered -C "$path" diff-files --name-only -z 2>/dev/null) |
    (g -C "$path" check-attr -z --stdin filter 2>/dev/null) | head -c 200000 3<&- >&4
  shut 0 ''
}

commits_here() {
  if ! g_or_not -C "$path" rev-parse -q --verify 'HEAD^{commit}' >/dev/null 2>&1; then
    # Nothing was committed yet, or HEAD is broken, which `log` has words for.
    on=$(g -C "$path" symbolic-ref -q HEAD 2>/dev/null) || on=
    if [ -n "$on" ] && ! g_or_not -C "$path" rev-parse -q --verify "$on" >/dev/null 2>&1; then
      open 1 recent
      shut 0 ''
      return 0
    fi
  fi
  commits recent --max-count=21 HEAD
  [ -z "$(g -C "$path" remote 2>/dev/null)" ] || commits unpushed --max-count=101 HEAD --not --remotes
}

# Some commits, told as $1, that the rest of the arguments choose.
commits() {
  open 1 "$1"
  shift
  err=$(g -C "$path" log --no-show-signature --no-color --no-ext-diff --no-patch --encoding=UTF-8 -z \
    --format='%H%x00%ct%x00%an%x00%s' "$@" -- 2>&1 >&4)
  code=$?
  words_of "$err"
  shut "$code" "$why"
}
