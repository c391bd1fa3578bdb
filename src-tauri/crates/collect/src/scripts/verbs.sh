# The other verbs about repositories and their linked worktrees. Each is about exactly what a person was shown, or nothing
# (I8), and is sent with `deep.sh`, `trash.sh` and `remove.sh`, whose locks, guards and moves it uses.

# Goes to a linked worktree: its record is the one that was shown, and its repository is locked. `1` if the verb has been
# answered. COMMON NAME PATH GNU BSD WEAK
enter_record() {
  common=$1 admin_name=$2 path=$3 gnu=$4 bsd=$5 weak=$6
  kind=worktree bare= filters= doubt= ceiling=${path%/*} admin=$common/worktrees/$admin_name
  dir=$admin
  is_repository && lock_repository || return 1
  stamp_of "$admin"
  if ! is_generation "$stamp"; then
    answer stop changed 'git has no record of it any more, or one of another worktree'
  elif recorded; [ "$where" != "$path" ]; then
    answer stop changed "git has it at ${where:-no known path} now"
  else
    return 0
  fi
  release_locks
  return 1
}

# Whether there is a repository whose git directory is $common. If not, the verb has been answered.
is_repository() {
  if is_hung "$common"; then
    answer waits disk "$why"
    return 1
  fi
  look "$common"
  case $seen in
  yes) return 0 ;;
  no) answer stop owner "there is no repository at $common any more" ;;
  *) answer failed command "$why" ;;
  esac
  return 1
}

# Whether that is the one that was shown. If not, the verb has been answered.
is_the_repository() {
  is_repository || return 1
  stamp_of "$common"
  is_generation "$stamp" && return 0
  answer stop changed "there is another repository at $common now"
  return 1
}

# lock ID EPOCH FAIL COMMON NAME PATH GNU BSD WEAK REASON
lock() {
  take_arguments "$1" "$2" "$3"
  shift 3
  reason=$7
  enter_record "$@" || return 0
  if is_locked; then
    answer stop locked "it is locked already: ${text:-no reason is given}"
  elif why=$(g --git-dir="$common" worktree lock ${reason:+--reason "$reason"} -- "$path" 2>&1); then
    answer done '' ''
  else
    failed "$why"
  fi
  release_locks
}

# unlock ID EPOCH FAIL COMMON NAME PATH GNU BSD WEAK
unlock() {
  take_arguments "$1" "$2" "$3"
  shift 3
  enter_record "$@" || return 0
  if ! is_locked; then
    answer gone '' ''
  elif why=$(rm -f "$admin/locked" 2>&1 3<&- 4>&-); then
    # What git does; it finds no worktree whose folder is away, and this one may be.
    answer done '' ''
  else
    failed "$why"
  fi
  release_locks
}

# Whether $wanted names a place for a folder. If not, the verb has been answered.
is_place() {
  case $wanted in
  '~/'*) wanted=$HOME/${wanted#'~/'} ;;
  esac
  case $wanted in
  /*/) wanted=${wanted%/} ;;
  esac
  case $wanted in
  */ | */. | */..) answer stop refused "no folder can be called ${wanted##*/}" ;;
  /*) return 0 ;;
  *) answer stop refused 'a place is told by a path that begins with /' ;;
  esac
  return 1
}

# Finds out where $wanted is, whose folder has to be there: $to, canonical. `1` if the verb has been answered.
find_place() {
  to=$wanted
  if [ -e "$to" ] || [ -L "$to" ]; then
    answer stop taken "there is something at $to already"
    return 1
  fi
  parent=${to%/*}
  cd -P "${parent:-/}" 2>/dev/null || {
    if [ -d "${parent:-/}" ]; then
      answer stop permission "$parent cannot be entered"
    else
      answer stop taken "there is no folder $parent"
    fi
    return 1
  }
  parent=$PWD
  to=${parent%/}/${to##*/}
  cd /
  case $to in
  "$common"/*)
    answer stop refused "$common is git's own folder"
    return 1
    ;;
  esac
  return 0
}

# move ID EPOCH FAIL COMMON NAME PATH GNU BSD WEAK TO
move() {
  take_arguments "$1" "$2" "$3"
  shift 3
  wanted=$7
  enter_record "$@" || return 0
  move_locked
  release_locks
}

move_locked() {
  look "$path"
  if [ "$seen" != yes ] || [ -L "$path" ]; then
    answer stop changed 'its folder is not there; if it was moved, say where it is'
    return 0
  fi
  if is_locked; then
    answer stop locked "${text:-no reason is given}"
    return 0
  fi
  users
  if [ -n "$why" ]; then
    answer stop in_use "$why"
    return 0
  fi
  is_place && find_place || return 0
  case $to in
  "$path"/*)
    answer stop refused 'that is inside of what is to be moved'
    return 0
    ;;
  esac
  mount_of "$path"
  disk=$mount
  mount_of "$parent"
  if [ "$mount" != "$disk" ]; then
    answer stop disk "$parent is on another disk, and nothing is copied"
    return 0
  fi
  step move
  begin
  if move_worktree "$path" "$to"; then
    step moved
    answer done '' "$to"
  else
    failed "$why"
  fi
}

# repair ID EPOCH FAIL COMMON NAME PATH GNU BSD WEAK AT: has a record and the folder at AT lead to each other again. Nothing
# else is touched, and what leads to another record stays with that.
repair() {
  take_arguments "$1" "$2" "$3"
  shift 3
  wanted=$7
  enter_record "$@" || return 0
  repair_locked
  release_locks
}

repair_locked() {
  is_place || return 0
  at=$wanted
  cd -P "$at" 2>/dev/null || {
    answer stop changed "there is no folder at $at that can be entered"
    return 0
  }
  at=$PWD
  cd /
  [ -f "$at/.git" ] && slurp "$at/.git" || text=
  case $text in
  'gitdir: '?*) ;;
  *)
    answer stop refused "$at is no linked worktree: it has no .git file that leads to a record"
    return 0
    ;;
  esac
  back=${text#'gitdir: '}
  case $back in
  /*) ;;
  *) back=$at/$back ;;
  esac
  if cd -P "$back" 2>/dev/null; then
    leads=$PWD
    cd /
    if [ "$leads" != "$admin" ]; then
      answer stop refused "$at belongs to another record of git: $leads"
      return 0
    fi
    if [ "$where" = "$at" ]; then
      answer gone '' ''
      return 0
    fi
  else
    look "$back"
    case $seen:$back in
    no:*/worktrees/"$admin_name") leads= ;;
    *)
      answer stop refused "$at leads to $back, which is not the record of this worktree"
      return 0
      ;;
    esac
  fi
  if [ "$where" != "$at" ] && [ -e "$where/.git" ]; then
    answer stop refused "there is a worktree at $where still, where git has it"
    return 0
  fi
  step links
  begin
  if [ -z "$leads" ]; then
    why=$( (printf 'gitdir: %s\n' "$admin" >"$at/.git.new") 2>&1) && why=$(mv -f "$at/.git.new" "$at/.git" 2>&1 3<&- 4>&-) || {
      failed "$why"
      return 0
    }
  fi
  step record
  why=$( (printf '%s\n' "$at/.git" >"$admin/gitdir.new") 2>&1) && why=$(mv -f "$admin/gitdir.new" "$admin/gitdir" 2>&1 3<&- 4>&-) || {
    failed "$why"
    return 0
  }
  step linked
  answer done '' "$at"
}

# prune ID EPOCH FAIL COMMON NAME PATH GNU BSD WEAK MOUNT HEAD: removes one record whose folder is gone. Commits that only it
# holds, and what was staged in it, get references that stay.
prune() {
  take_arguments "$1" "$2" "$3"
  shift 3
  wanted_mount=$7 wanted=$8
  enter_record "$@" || return 0
  prune_locked
  release_locks
}

prune_locked() {
  if is_locked; then
    answer stop locked "${text:-no reason is given}"
    return 0
  fi
  is_on_its_disk || return 0
  if [ "$seen" = yes ]; then
    answer stop changed 'its folder is there'
    return 0
  fi
  if prunes; then
    answer stop refused 'a fetch of this repository would prune the references that keep what only this record holds'
    return 0
  fi
  head=$(g --git-dir="$admin" rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null) || head=
  if [ "$head" != "$wanted" ]; then
    answer stop changed "its HEAD is at ${head:-no commit}, and was at ${wanted:-no commit}"
    return 0
  fi
  if [ -n "$(g --git-dir="$admin" ls-files -u 2>/dev/null)" ]; then
    answer stop busy 'its index has conflicts that are in no commit, and would be lost with it'
    return 0
  fi
  step refs
  begin
  space=refs/rollcall/kept/$id list=
  if [ -n "$(g --git-dir="$common" rev-list --max-count=1 ${head:+"$head"} --not --branches --tags --remotes 2>/dev/null)" ]; then
    list="update $space/head $head$nl"
  fi
  keep_own_commits || {
    failed "what only it holds cannot be kept: $why"
    return 0
  }
  keep_staged || {
    failed "what was staged in it cannot be kept: $why"
    return 0
  }
  step record
  why=$(rm -rf "$admin" 2>&1 3<&- 4>&-) || {
    failed "$why"
    return 0
  }
  rmdir "$common/worktrees" 2>/dev/null 3<&- 4>&-
  kept=$(g --git-dir="$common" for-each-ref --format='%(refname)' "$space" 2>/dev/null)
  step pruned
  answer done '' "${kept:+what only it held is kept under $space}"
}

# What is in its index and in no commit, as a commit of its own.
keep_staged() {
  [ -f "$admin/index" ] || return 0
  tree=$(g --git-dir="$admin" write-tree 2>&1) || {
    why=$tree
    return 1
  }
  [ "$tree" != "$(g --git-dir="$admin" rev-parse -q --verify 'HEAD^{tree}' 2>/dev/null)" ] || return 0
  [ -n "$head" ] || [ "$tree" != "$(g --git-dir="$admin" hash-object -t tree /dev/null 2>/dev/null)" ] || return 0
  GIT_AUTHOR_NAME=Rollcall GIT_AUTHOR_EMAIL=rollcall@localhost
  GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
  export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
  commit=$(g --git-dir="$common" commit-tree ${head:+-p "$head"} -m "What was staged in $path" "$tree" 2>&1) || {
    why=$commit
    return 1
  }
  why=$(g --git-dir="$common" update-ref "$space/staged" "$commit" 2>&1)
}

# Lets git reach remotes and lazily fetch what it needs, and has nothing ask anybody for anything.
may_fetch() {
  unset GIT_ALLOW_PROTOCOL GIT_NO_LAZY_FETCH
  ssh=$(g -C "$common" config core.sshCommand 2>/dev/null) || ssh=
  GIT_SSH_COMMAND="${ssh:-ssh} -o BatchMode=yes"
  GIT_ASKPASS=false SSH_ASKPASS_REQUIRE=never GCM_INTERACTIVE=never
  export GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS_REQUIRE GCM_INTERACTIVE
}

# fetch ID EPOCH FAIL COMMON GNU BSD WEAK: from every remote of a repository, as it is configured. One at a time.
fetch() {
  take_arguments "$1" "$2" "$3"
  common=$4 gnu=$5 bsd=$6 weak=$7
  is_the_repository || return 0
  take_lock_or_say "$common/rollcall-fetch.lock" || return 0
  if [ -z "$(g -C "$common" remote 2>/dev/null)" ]; then
    answer gone '' 'it has no remote'
  else
    may_fetch
    step fetch
    if why=$(g -c gc.auto=0 -c maintenance.auto=false -C "$common" fetch --all --quiet --no-recurse-submodules 2>&1); then
      answer done '' ''
    else
      case $why in
      *'ermission denied (p'* | *'could not read'* | *'uthentication failed'*)
        answer stop permission "a remote lets nobody in without asking for something: ${why##*fatal: }"
        ;;
      *) answer failed command "$why" ;;
      esac
    fi
  fi
  release_locks
}

# create ID EPOCH FAIL COMMON GNU BSD WEAK PATH HOW BRANCH START: a linked worktree at PATH. HOW is `new` for a branch that
# begins at START, `existing`, or `remote` for a new branch that follows the remote branch START.
# The folder is made first, in one step, so that what a failure takes away is what this made and nothing else.
create() {
  take_arguments "$1" "$2" "$3"
  common=$4 gnu=$5 bsd=$6 weak=$7 wanted=$8 how=$9
  shift 9
  on=refs/heads/$1 short=$1 start=$2
  kind=worktree filters=
  is_the_repository && lock_repository || return 0
  create_locked
  release_locks
}

create_locked() {
  if [ -z "$short" ] || [ "$short" != "${short#-}" ] || ! (g check-ref-format "$on" 2>/dev/null); then
    answer stop refused "no branch can be called ${short:-nothing}"
    return 0
  fi
  now=$(g --git-dir="$common" rev-parse -q --verify "$on" 2>/dev/null)
  case $how:$now in
  existing:)
    answer stop changed "there is no branch $short any more"
    return 0
    ;;
  existing:*)
    if is_checked_out "$on"; then
      answer stop taken "another working tree has $short checked out"
      return 0
    fi
    commit=$now
    ;;
  new: | remote:)
    commit=$(g --git-dir="$common" rev-parse -q --verify "$start^{commit}" 2>/dev/null) || {
      answer stop changed "there is no commit $start any more"
      return 0
    }
    ;;
  *)
    answer stop taken "there is a branch $short already"
    return 0
    ;;
  esac
  is_place && make_parents || return 0
  find_place || {
    unmake_parents
    return 0
  }
  step create
  begin
  why=$(mkdir "$to" 2>&1 3<&- 4>&-) || {
    failed "$why"
    unmake_parents
    return 0
  }
  inode_of "$to"
  made=$inode
  before=$nl$(records)$nl
  step made
  may_fetch
  case $how in
  new) why=$(as_a_person worktree add --no-track -b "$short" -- "$to" "$start" 2>&1) ;;
  existing) why=$(as_a_person worktree add -- "$to" "$short" 2>&1) ;;
  remote) why=$(as_a_person worktree add --track -b "$short" -- "$to" "$start" 2>&1) ;;
  esac
  code=$?
  step added
  if [ "$code" = 0 ]; then
    answer done '' "$to"
    return 0
  fi
  why_not=$why
  uncreate
  failed "$why_not"
}

# git as a person would run it, hooks and content filters of the repository included.
as_a_person() { (exec git --git-dir="$common" "$@" 3<&- 4>&- 5<&-); }

# The names of the records of linked worktrees, one per line.
records() {
  set +f
  for line in "$common"/worktrees/*/; do
    line=${line%/}
    printf '%s\n' "${line##*/}"
  done
  set -f
}

# Makes the folders that lead to $wanted: $parents has those that were not there, the deepest first. `1` if the verb has
# been answered.
make_parents() {
  parents= next=${wanted%/*}
  while [ -n "$next" ] && [ ! -e "$next" ] && [ ! -L "$next" ]; do
    parents=$parents$next$nl
    next=${next%/*}
  done
  [ -n "$parents" ] || return 0
  why=$(mkdir -p "${wanted%/*}" 2>&1 3<&- 4>&-) && return 0
  unmake_parents
  failed "$why"
  return 1
}

unmake_parents() {
  IFS=$nl
  for line in $parents; do rmdir "$line" 2>/dev/null 3<&- 4>&-; done
  IFS=$blank
}

# Takes away what a creation made that failed, and nothing else: where git has made no record, whatever is in the folder is
# somebody's.
uncreate() {
  found=
  IFS=$nl
  for record in $(records); do
    IFS=$blank
    case $before in
    *"$nl$record$nl"*) continue ;;
    esac
    if slurp "$common/worktrees/$record/gitdir" && [ "$text" = "$to/.git" ]; then
      rm -rf "$common/worktrees/${record:?}" 3<&- 4>&-
      found=y
    fi
  done
  IFS=$blank
  rmdir "$common/worktrees" 2>/dev/null 3<&- 4>&-
  inode_of "$to"
  if [ -n "$found" ] && [ "$inode" = "$made" ]; then
    rm -rf "$to" 3<&- 4>&-
  else
    rmdir "$to" 2>/dev/null 3<&- 4>&-
  fi
  unmake_parents
  case $how in
  new | remote)
    if g_or_not --git-dir="$common" update-ref --no-deref -d "$on" "$commit" 2>/dev/null; then
      (g --git-dir="$common" config --remove-section "branch.$short" 2>/dev/null)
    fi
    ;;
  esac
}
