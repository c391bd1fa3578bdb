# Moves a workspace to the trash of its host, brings it back, and empties the trash. Each verb is sent with the
# functions of `deep.sh`, which tell what would go. Whatever it leaves half done is told by a manifest that was written
# before, and finished or undone by it: a verb looks at what is there, and not at how far another said it was.

# Ends a verb: $1 says how, $2 why in one word, $3 in the host's words.
answer() {
  flatten "$(printf '%.1000s' "$3")"
  say R "$1" "$stage" "$2" "$flat" "$branch_said" "$close"
}

# Reaches a step. Tests have a name in $fail, where the verb is killed, or stopped until it is told to go on.
step() {
  stage=$1
  case $fail in
  "$1") kill -KILL 0 ;;
  "hold $1") kill -STOP "$$" ;;
  esac
}

# From here on nobody's going away ends this: neither that of who asked, nor that of the connection.
begin() {
  trap '' HUP PIPE TERM
  # It may have noticed already, and be deaf to anything less.
  kill -KILL "$lease" 2>/dev/null
}

# What an error of a program comes to: a person has to help where something is not allowed or on another disk, and
# anything else may pass.
failed() {
  case $1 in
  *'ermission denied'* | *'not permitted'* | *'ead-only file system'*) answer stop permission "$1" ;;
  *'ross-device link'*) answer stop disk "$1" ;;
  *) answer failed command "$1" ;;
  esac
}

unflatten() {
  flat=$1
  case $flat in
  *"$enq"*) ;;
  *) return 0 ;;
  esac
  rest=$flat flat=
  while :; do
    case $rest in
    *"$enq"*) ;;
    *)
      flat=$flat$rest
      return 0
      ;;
    esac
    flat=$flat${rest%%"$enq"*}
    rest=${rest#*"$enq"}
    case $rest in
    n*) flat=$flat$nl ;;
    *) flat=$flat$enq ;;
    esac
    rest=${rest#?}
  done
}

clock() { date +%s 2>/dev/null 3<&- 4>&-; }

inode_of() {
  set -- "$(ls -di "$1" 2>/dev/null 3<&- 4>&-)"
  while :; do
    case $1 in
    ' '*) set -- "${1# }" ;;
    *) break ;;
    esac
  done
  inode=${1%% *}
}

# When a process began, so that its number names no later one.
began() {
  line=
  { read -r line <"/proc/$1/stat"; } 2>/dev/null
  [ -n "$line" ] || return 0
  set -- ${line##*') '}
  printf %s "${20}"
}

# Takes the lock $1, which is a link that leads nowhere and says who holds it: making one is one step, and tells both. What
# was held by a process that is no more is taken over. 1: another holds it; 2: none can be made, $why says so.
take_lock() {
  boot=
  slurp /proc/sys/kernel/random/boot_id && boot=$text
  [ -n "$boot" ] || boot=$(sysctl -n kern.boottime 2>/dev/null 3<&- 4>&- | tr -dc 0-9 3<&- 4>&-)
  own=$$:$(began "$$"):$boot:$machine:$id:$epoch
  turns=0
  while ! why=$(ln -s "$own" "$1" 2>&1 3<&- 4>&-); do
    holder=$(readlink "$1" 2>/dev/null 3<&- 4>&-) || return 2
    [ "$turns" -lt 3 ] || return 1
    turns=$((turns + 1))
    is_gone "$holder" || return 1
    # Who takes over does it alone.
    if ln -s "$own" "$1.over" 2>/dev/null 3<&- 4>&-; then
      if [ "$(readlink "$1" 2>/dev/null 3<&- 4>&-)" = "$holder" ]; then
        rm -f "$1" 3<&- 4>&-
      fi
      rm -f "$1.over" 3<&- 4>&-
    else
      other=$(readlink "$1.over" 2>/dev/null 3<&- 4>&-) || continue
      is_gone "$other" || return 1
      rm -f "$1.over" 3<&- 4>&-
    fi
  done
  locks="$1$nl$locks"
  return 0
}

# Takes the lock $1, or says why not: `1` then, and the verb has been answered.
take_lock_or_say() {
  take_lock "$1"
  case $? in
  0) return 0 ;;
  1) answer running '' "$holder" ;;
  *) failed "$why" ;;
  esac
  return 1
}

# Whether the process that a lock names is no more.
is_gone() {
  rest=$1
  pid=${rest%%:*}
  rest=${rest#*:}
  since=${rest%%:*}
  rest=${rest#*:}
  booted=${rest%%:*}
  rest=${rest#*:}
  # Of another machine that shares this disk nothing can be told.
  [ "${rest%%:*}" = "$machine" ] || return 1
  [ "$booted" = "$boot" ] || return 0
  if kill -0 "$pid" 2>/dev/null || [ -d "/proc/$pid" ]; then
    [ -n "$since" ] && [ "$(began "$pid")" != "$since" ]
    return
  fi
  if ps -p "$pid" >/dev/null 2>&1 3<&- 4>&-; then return 1; fi
  return 0
}

release_locks() {
  while [ -n "$locks" ]; do
    rm -f "${locks%%"$nl"*}" 3<&- 4>&-
    case $locks in
    */.rollcall-trash/lock"$nl"*) rmdir "${base:-${place%/*}}" 2>/dev/null 3<&- 4>&- ;;
    esac
    locks=${locks#*"$nl"}
  done
}

# Reads the manifest of the place $1 into $m_kind and the like; `1` where there is none that can be read.
read_manifest() {
  m_kind= m_path= m_mount= m_common= m_admin= m_generation= m_head= m_branch= m_mode= m_days= m_at= m_stage=
  m_id= m_tree= m_branch_gone=
  slurp "$1/manifest" || return 1
  case $text in
  "rollcall-trash 1$nl"*) ;;
  *) return 1 ;;
  esac
  manifest=$text
  IFS=$nl
  for line in $text; do
    IFS=$blank
    value=${line#* }
    unflatten "$value"
    case $line in
    'id '*) m_id=$flat ;;
    'kind '*) m_kind=$flat ;;
    'path '*) m_path=$flat ;;
    'mount '*) m_mount=$flat ;;
    'common '*) m_common=$flat ;;
    'admin '*) m_admin=$flat ;;
    'generation '*) m_generation=$flat ;;
    'head '*) m_head=$flat ;;
    'branch '*) m_branch=$flat ;;
    'mode '*) m_mode=$flat ;;
    'days '*) m_days=$flat ;;
    'at '*) m_at=$flat ;;
    'tree '*) m_tree=$flat ;;
    'branch-gone '*) m_branch_gone=$flat ;;
    'stage restored '*) m_stage=restored ;;
    'stage '*) m_stage=${line#stage } ;;
    esac
  done
  IFS=$blank
  [ -n "$m_id" ] && [ -n "$m_path" ]
}

# Adds a line to the manifest at $place.
note() { printf '%s\n' "$1" >>"$place/manifest" 3<&- 4>&-; }

# Writes the manifest before anything is changed.
write_manifest() {
  why=$(mkdir -p "$place" 2>&1 3<&- 4>&-) || return 1
  lines="rollcall-trash 1$nl"
  for line in "id $id" "kind $kind" "path $path" "mount $mount" "common $common" "admin $admin_name" \
    "generation $stamp" "head $head" "branch $on" "mode $mode" "days $days" "at $(clock)" "tree $tree"; do
    flatten "$line"
    lines=$lines$flat$nl
  done
  why=$( (printf '%s' "$lines" >"$place/manifest.new") 2>&1 3<&- 4>&-) || return 1
  why=$(mv -f "$place/manifest.new" "$place/manifest" 2>&1 3<&- 4>&-)
}

# Finds the place of what was moved away and has the generation that may go: $place; `1` if there is none. What was restored
# before a person decided counts no more.
place_of_generation() {
  set +f
  for place in "$base"/*/; do
    set -f
    place=${place%/}
    if read_manifest "$place" && is_generation "$m_generation"; then
      case "$m_stage $known " in
      "restored"*" $m_id "*) ;;
      *) return 0 ;;
      esac
    fi
  done
  set -f
  place=
  return 1
}

# Whether $1 is how this host tells the generation that may go.
is_generation() {
  [ -n "$1" ] || return 1
  [ "$1" = "$gnu" ] || [ "$1" = "$bsd" ] || [ "$1" = "$weak" ]
}

# What tells the thing from a later one: $stamp.
stamp_of() {
  find_flavour
  stamp "$1"
  stamp=$out
}

# Whether a fetch of this repository would prune the references that keep what is in the trash.
prunes() {
  case $(g --git-dir="$common" config --get-regexp 'remote\..*\.fetch' 2>/dev/null) in
  *:refs/\** | *:refs/rollcall*) return 0 ;;
  esac
  return 1
}

# Commits that only this working tree holds, and HEAD, get references.
keep_references() {
  space=refs/rollcall/trash/$id
  [ -n "$head" ] || return 0
  list="update $space/head $head$nl"
  keep_own_commits
}

# Commits that only this working tree holds get references below $space, with those that $list makes.
keep_own_commits() {
  count=0
  held_only_here 100000
  [ "$code" = 0 ] || return 1
  held=$nl$out$nl
  for tip in $(own_tips | sort -u 3<&- 4>&-); do
    case $held in
    *"$nl$tip$nl"*)
      count=$((count + 1))
      list="${list}update $space/$count $tip$nl"
      ;;
    esac
  done
  why=$(printf '%s' "$list" | g --git-dir="$common" update-ref --stdin 2>&1)
}

# Drops those references again.
drop_references() {
  list=$(g --git-dir="$common" for-each-ref --format='delete %(refname)' "refs/rollcall/trash/$id" 2>/dev/null)
  [ -n "$list" ] || return 0
  why=$(printf '%s\n' "$list" | g --git-dir="$common" update-ref --stdin 2>&1)
}

# Renames $1 to $2, and makes sure that this was no copy.
rename() {
  if [ -e "$2" ] || [ -L "$2" ]; then
    why="there is something at $2 already"
    return 1
  fi
  inode_of "$1"
  was=$inode
  no_copy=
  case $(mv --help 2>&1 3<&- 4>&-) in
  *--no-copy*) no_copy=--no-copy ;;
  esac
  why=$(mv $no_copy "$1" "$2" 2>&1 3<&- 4>&-) || return 1
  inode_of "$2"
  [ "$inode" = "$was" ] || why="it was copied to $2, because a rename leads to another disk"
}

# Where submodules of the working tree $1 keep their git directories: $subs has a line with the path of each, and one with
# that directory, for those whose link says where it is.
find_subs() {
  subs= todo=.$nl
  while [ -n "$todo" ]; do
    within=${todo%%"$nl"*}
    todo=${todo#*"$nl"}
    links=$(gitlinks "$1/$within")
    IFS=$nl
    for link in $links; do
      IFS=$blank
      sub=$within/$link
      sub=${sub#./}
      [ -e "$1/$sub/.git" ] || continue
      todo=$todo$sub$nl
      [ -f "$1/$sub/.git" ] && slurp "$1/$sub/.git" || continue
      own=${text#'gitdir: '}
      case $own in
      /*) ;;
      *) own=$1/$sub/$own ;;
      esac
      cd -P "$own" 2>/dev/null || continue
      subs=$subs$sub$nl$PWD$nl
      cd /
    done
    IFS=$blank
  done
}

# Moves the working tree $1 to $2, with its links.
move_worktree() {
  if [ ! -d "$admin/modules" ]; then
    why=$(g --git-dir="$common" worktree move "$1" "$2" 2>&1) && return 0
    [ ! -e "$2" ] || return 1
    case $why in
    *submodule*) ;;
    *) return 1 ;;
    esac
  fi
  find_subs "$1"
  rename "$1" "$2" || return 1
  flat_link=$2/.git
  why=$( (printf '%s\n' "$flat_link" >"$admin/gitdir.new") 2>&1 3<&- 4>&-) || return 1
  why=$(mv -f "$admin/gitdir.new" "$admin/gitdir" 2>&1 3<&- 4>&-) || return 1
  slurp "$2/.git"
  case $text in
  'gitdir: /'*) ;;
  *) printf 'gitdir: %s\n' "$admin" >"$2/.git" ;;
  esac
  link_subs "$2"
}

# Has the submodules in $subs, of a working tree that is at $1 now, lead to each other again.
link_subs() {
  moved_to=$1
  each_sub link_sub
}

link_sub() {
  printf 'gitdir: %s\n' "$own" >"$moved_to/$sub/.git"
  why=$(g config -f "$own/config" core.worktree "$moved_to/$sub" 2>&1)
}

# Calls $1 for each of $subs, which is at $sub and has its git directory at $own, and is the one with the number $count.
# Ends with the first that fails.
each_sub() {
  rest=$subs count=0
  while [ -n "$rest" ]; do
    sub=${rest%%"$nl"*}
    rest=${rest#*"$nl"}
    own=${rest%%"$nl"*}
    rest=${rest#*"$nl"}
    count=$((count + 1))
    "$1" || return 1
  done
}

# Keeps the links of the working tree at $path as they are, so that they come back byte for byte.
keep_links() {
  why=$(mkdir -p "$place/links" 2>&1 3<&- 4>&-) || return 1
  touch -r "$path" "$place/links/top" 3<&- 4>&-
  cp -p "$path/.git" "$place/links/git" 3<&- 4>&-
  cp -p "$admin/gitdir" "$place/links/gitdir" 3<&- 4>&-
  find_subs "$path"
  each_sub keep_sub
}

keep_sub() {
  why=$(cp -p "$path/$sub/.git" "$place/links/$count.git" 2>&1 3<&- 4>&-) &&
    why=$(cp -p "$own/config" "$place/links/$count.config" 2>&1 3<&- 4>&-)
}

# Puts the links back as they were, if the working tree is where it was.
restore_links() {
  [ "$path" = "$m_path" ] || return 0
  [ -f "$place/links/git" ] || return 0
  cp -p "$place/links/git" "$path/.git" 3<&- 4>&-
  cp -p "$place/links/gitdir" "$admin/gitdir" 3<&- 4>&-
  find_subs "$path"
  each_sub restore_sub
  touch -r "$place/links/top" "$path" 3<&- 4>&-
}

restore_sub() {
  [ -f "$place/links/$count.git" ] || return 1
  cp -p "$place/links/$count.git" "$path/$sub/.git" 3<&- 4>&-
  cp -p "$place/links/$count.config" "$own/config" 3<&- 4>&-
}

# Whether the branch $1 is checked out by a working tree that git lists.
is_checked_out() {
  case $nl$(g --git-dir="$common" worktree list --porcelain 2>/dev/null)$nl in
  *"${nl}branch $1$nl"*) return 0 ;;
  esac
  return 1
}

# Deletes the branch $on, if nobody uses it and it is where the consent says. $branch_said tells what became of it.
delete_branch() {
  [ -n "$on" ] && [ -n "$branch_commit" ] || return 0
  if is_checked_out "$on"; then
    branch_said='kept: another working tree has it checked out'
    return 0
  fi
  now=$(g --git-dir="$common" rev-parse -q --verify "$on" 2>/dev/null)
  if [ -z "$now" ]; then
    branch_said='gone already'
    return 0
  fi
  if [ "$now" != "$branch_commit" ]; then
    branch_said='kept: it has moved since'
    return 0
  fi
  short=${on#refs/heads/}
  rm -f "$place/branch.config" 3<&- 4>&-
  g_or_not --git-dir="$common" config --get-regexp "^branch\\." 2>/dev/null | {
    while IFS= read -r line; do
      key=${line%% *}
      case $key in
      "branch.$short".*) g_or_not config -f "$place/branch.config" --add "$key" "${line#* }" 2>/dev/null ;;
      esac
    done
  }
  if [ -f "$common/logs/$on" ]; then cp -p "$common/logs/$on" "$place/branch.log" 3<&- 4>&-; fi
  note "branch-gone $now"
  if why=$(g --git-dir="$common" update-ref --no-deref -d "$on" "$now" 2>&1); then
    branch_said=deleted
    (g --git-dir="$common" config --remove-section "branch.$short" 2>/dev/null)
  else
    branch_said="kept: $why"
  fi
}

# Makes the branch that was deleted again, if it is not there. What was noted of it comes back with it.
revive_branch() {
  [ -n "$m_branch_gone" ] && [ -n "$m_branch" ] || return 0
  now=$(g --git-dir="$common" rev-parse -q --verify "$m_branch" 2>/dev/null)
  [ -z "$now" ] || return 0
  zero=$(printf %s "$m_branch_gone" | sed 's/./0/g' 3<&- 4>&-)
  why=$(g --git-dir="$common" update-ref --no-deref "$m_branch" "$m_branch_gone" "$zero" 2>&1) || return 0
  if [ -f "$place/branch.log" ] && [ -d "$common/logs" ]; then
    cp -p "$place/branch.log" "$common/logs/$m_branch" 2>/dev/null 3<&- 4>&-
  fi
  if [ -f "$place/branch.config" ]; then
    g_or_not config -f "$place/branch.config" --get-regexp . 2>/dev/null | {
      while IFS= read -r line; do
        # A name with a dot in front of the branch would be another key.
        g_or_not --git-dir="$common" config --add "${line%% *}" "${line#* }" 2>/dev/null
      done
    }
  fi
}

# Where the manifest of what is deleted at $path lies, and that itself on its own disk, outside of any working tree: $base
# and $shelf. Without the latter, $why says why.
find_base() {
  shelf= why=
  look "$path"
  if [ "$seen" = no ]; then mount_of "$anchor"; else mount_of "$path"; fi
  disk=$mount
  if [ "$kind" = worktree ]; then
    base=$common/rollcall-trash
    mount_of "$common"
    if [ "$mount" = "$disk" ]; then
      shelf=$base
      return 0
    fi
  fi
  beside=$path ceiling=
  while :; do
    beside=${beside%/*}
    [ -n "$beside" ] || break
    mount_of "$beside"
    if [ "$mount" = "$disk" ]; then
      case $(g -C "$beside" rev-parse --is-inside-work-tree --is-inside-git-dir 2>/dev/null) in
      *true*) ;;
      *)
        shelf=$beside/.rollcall-trash
        break
        ;;
      esac
    elif [ -e "$beside" ]; then
      break
    fi
  done
  ceiling=${path%/*}
  [ -n "$shelf" ] || why='there is no place beside it, on its own disk, that is in no repository'
  [ "$kind" = worktree ] || base=$shelf
}

# Removes what rests at $place for good. Links are never followed.
wipe() {
  step wipe
  [ "$m_stage" = removing ] || note 'stage removing'
  m_stage=removing
  if [ -e "$tree" ] || [ -L "$tree" ]; then
    why=$(rm -rf "$tree" 2>&1 3<&- 4>&-) || {
      find "$tree" -type d ! -perm -0700 -exec chmod u+rwx {} \; 2>/dev/null 3<&- 4>&-
      why=$(rm -rf "$tree" 2>&1 3<&- 4>&-) || {
        answer stop permission "what is left of it lies at $tree: ${why%%"$nl"*}"
        return 0
      }
    }
  fi
  if [ "$m_kind" = worktree ]; then
    step record
    admin=$m_common/worktrees/$m_admin
    if slurp "$admin/gitdir" && [ "$text" = "$tree/.git" ]; then
      why=$(rm -rf "$admin" 2>&1 3<&- 4>&-) || {
        failed "$why"
        return 0
      }
      rmdir "$m_common/worktrees" 2>/dev/null 3<&- 4>&-
    fi
    step unref
    common=$m_common
    drop_references || {
      failed "$why"
      return 0
    }
  fi
  step forget
  why=$(rm -rf "$place" 2>&1 3<&- 4>&-) || {
    failed "$why"
    return 0
  }
  # The tree may have lain elsewhere.
  rmdir "${tree%/tree}" 2>/dev/null 3<&- 4>&-
  rmdir "${place%/*}" 2>/dev/null 3<&- 4>&-
  stage=done
  answer done '' ''
}

# Goes to something in the trash: its manifest is read, and its lock is held. `1` if the verb has been answered.
enter_trash() {
  place=$1
  case $place in
  /*/rollcall-trash/?* | /*/.rollcall-trash/?*) ;;
  *)
    answer stop refused 'that is no place of the trash'
    return 1
    ;;
  esac
  read_manifest "$place" || {
    look "$place"
    if [ "$seen" = no ]; then answer gone '' ''; else answer failed command 'its manifest cannot be read'; fi
    return 1
  }
  id=$m_id kind=$m_kind path=$m_path common=$m_common admin=$m_common/worktrees/$m_admin dir=$admin tree=$m_tree
  mount=$m_mount filters= doubt= bare= ceiling=${tree%/*}
  if [ "$kind" = worktree ]; then lock=$common/rollcall.lock; else lock=${place%/*}/lock; fi
  take_lock_or_say "$lock" || return 1
  # Another may have been faster.
  read_manifest "$place" || {
    answer gone '' ''
    release_locks
    return 1
  }
  return 0
}

# restore ID EPOCH FAIL PLACE PATH
restore() {
  take_arguments "$1" "$2" "$3"
  wanted=$5
  enter_trash "$4" || return 0
  [ -z "$wanted" ] || path=$wanted
  case $m_stage in
  restored)
    answer gone '' ''
    ;;
  removing)
    answer stop changed 'it is being removed for good, and is not whole any more'
    ;;
  *) put_back ;;
  esac
  release_locks
}

# Brings back what rests at $place, as far as that has not been done.
put_back() {
  step back
  begin
  if [ -e "$tree" ]; then
    if [ -e "$path" ] || [ -L "$path" ]; then
      answer stop taken "there is something at $path already"
      return 0
    fi
    if [ ! -d "${path%/*}" ]; then
      answer stop taken "there is no folder ${path%/*} any more"
      return 0
    fi
    # A link on the way would lead elsewhere than where it says.
    cd -P "${path%/*}" 2>/dev/null && [ "$PWD" = "${path%/*}" ] || {
      cd /
      answer stop taken "${path%/*} leads elsewhere now"
      return 0
    }
    cd /
    [ "$m_stage" = restoring ] || note 'stage restoring'
    m_stage=restoring
    if [ "$kind" = worktree ]; then
      step unlock
      rm -f "$admin/locked" 3<&- 4>&-
      step return
      move_worktree "$tree" "$path" || {
        why_not=$why
        (g --git-dir="$common" worktree lock --reason "in the trash of Rollcall ($id)" "$tree" 2>/dev/null)
        note 'stage whole'
        failed "$why_not"
        return 0
      }
    else
      step return
      rename "$tree" "$path" || {
        why_not=$why
        note 'stage whole'
        failed "$why_not"
        return 0
      }
    fi
  elif [ ! -e "$path" ]; then
    answer stop changed 'neither it nor what was its folder is there'
    return 0
  fi
  step attach
  if [ "$kind" = worktree ]; then
    revive_branch
    reattach
    restore_links
    step release
    drop_references
  fi
  step returned
  note "stage restored $(clock)"
  # What tells other desktops that it was restored is all that stays.
  rm -rf "$place/links" "$place/branch.log" "$place/branch.config" 3<&- 4>&-
  rmdir "${tree%/tree}" 2>/dev/null 3<&- 4>&-
  stage=done
  answer done '' ''
}

# undo ID EPOCH FAIL KIND PATH COMMON: takes a removal back that may have begun.
undo() {
  take_arguments "$1" "$2" "$3"
  kind=$4 path=$5 common=$6 ceiling=${5%/*} filters= doubt= bare=
  lock_repository || return 0
  find_base
  release_locks
  place=$base/$id
  if [ -z "$base" ] || [ ! -e "$place/manifest" ]; then
    answer done nothing ''
    return 0
  fi
  enter_trash "$place" || return 0
  case $m_stage in
  restored) answer done '' '' ;;
  removing) answer stop changed 'it is being removed for good, and is not whole any more' ;;
  *)
    if [ -e "$tree" ]; then
      put_back
    else
      begin
      take_back
      answer done '' ''
    fi
    ;;
  esac
  release_locks
}

# empty ID EPOCH FAIL PLACE MANIFEST DUE: removes for good what rests at a place, if its manifest is what was shown, and if
# the days are over by this host's clock, should that be asked.
empty() {
  take_arguments "$1" "$2" "$3"
  wanted=$5 due=$6
  enter_trash "$4" || return 0
  flatten "$manifest"
  if [ "$flat" != "$wanted" ]; then
    answer stop changed 'its manifest is another one now'
  elif [ -n "$due" ] && [ "$(clock)" -lt "$((m_at + m_days * 86400))" ]; then
    answer stop changed 'its days are not over by the clock of this host'
  elif [ "$m_stage" = restored ]; then
    rm -rf "$place" 3<&- 4>&-
    answer done '' ''
  else
    users_of_tree
    if [ -n "$why" ]; then
      answer stop in_use "$why"
    else
      begin
      wipe
    fi
  fi
  release_locks
}

users_of_tree() {
  was=$path path=$tree
  users
  path=$was
}
