# Guards a removal and carries it out: nothing goes that is not what was agreed to, as it was agreed to. It is sent with
# `deep.sh`, which tells what would go, and `trash.sh`, which knows the trash.

# What would go now is more than, or other than, what was agreed to: $why says what, and this is true. Each part of what was
# agreed to is a word of $digest.
is_changed() {
  now=$(g -C "$path" rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null) || now=
  on=$(g -C "$path" symbolic-ref -q HEAD 2>/dev/null) || on=
  if [ "$on" != "$branch" ]; then
    why="it is on ${on:-no branch} now, and was on ${branch:-no branch}"
    return 0
  fi
  if [ "$now" != "$head" ]; then
    why="its HEAD is at ${now:-no commit} now, and was at ${head:-no commit}"
    return 0
  fi
  [ "$digest" != '*' ] || return 1
  held_only_here 100000
  if [ "$code" != 0 ]; then
    why="what only its reflog holds cannot be told: $why"
    return 0
  fi
  for line in $out; do
    case " $only " in
    *" $line "*) ;;
    *)
      why="commit $line would go too, which only its reflog or its own references hold"
      return 0
      ;;
    esac
  done
  is_edited
}

is_edited() {
  # Somebody who could not see what is in it agreed to whatever that is.
  [ "$digest" != '*' ] || return 1
  { submodule_work && evidence; } || {
    why="what would go cannot be told: $doubt"
    return 0
  }
  [ "$evidence" != "$digest" ] || return 1
  parts=
  for word in $evidence; do
    case " $digest " in
    *" $word "*) ;;
    *) parts="$parts ${word%%=*}" ;;
    esac
  done
  for word in $digest; do
    case " $evidence " in
    *" ${word%%=*}="*) ;;
    *) parts="$parts ${word%%=*}" ;;
    esac
  done
  why="changed since:$parts"
  return 0
}

# Whether something in it keeps it from going: $why says what, after a word for the kind of thing.
is_blocked() {
  links=
  if [ "$kind" != directory ] && [ "$bare" != true ]; then
    links=$nl$(gitlinks "$path")$nl
  fi
  # From where it is, so that its own path may have line breaks.
  inner=$(cd "$path" && find . -xdev \( -name .git -print -prune -o -name HEAD -type f -print \) 2>&1 3<&- 4>&-) || {
    why="it cannot be looked through: ${inner##*"$nl"}"
    return 0
  }
  IFS=$nl
  for line in $inner; do
    IFS=$blank
    within=${line%/*}
    case $line in
    ./.git | ./HEAD) continue ;;
    */HEAD)
      if [ -d "$path/$within/objects" ] && [ -d "$path/$within/refs" ]; then
        why="there is another repository in it: ${within#./}"
        return 0
      fi
      ;;
    *)
      case $links in
      *"$nl${within#./}$nl"*) ;;
      *)
        # A submodule of a submodule.
        if [ -f "$path/$line" ] && slurp "$path/$line" && case $text in *"/modules/"*) true ;; *) false ;; esac && [ -n "$links" ]; then
          continue
        fi
        why="there is another working tree in it: ${within#./}"
        return 0
        ;;
      esac
      ;;
    esac
  done
  IFS=$blank
  if [ "$kind" = repository ]; then
    set +f
    for line in "$common"/worktrees/*/gitdir; do
      set -f
      [ -e "$line" ] || continue
      slurp "$line"
      case $text in
      "$common"/rollcall-trash/*) ;;
      *)
        why="it has a linked worktree: ${text%/.git}"
        return 0
        ;;
      esac
    done
    set -f
  fi
  return 1
}

# Who works inside: $why, or nothing if nobody is seen.
users() {
  number=1
  out=$(in_use 4>&1 | tr '\000' '\n' 3<&- 4>&-)
  why=
  IFS=$nl
  for line in $out; do
    case $line in
    [0-9]*' '?*) [ "$line" = "${line#*"$close"}" ] && why="$why${why:+, }${line#* } (${line%% *})" ;;
    esac
  done
  IFS=$blank
}

# Finds what may go, and says why it may not: `1` if the verb has been answered.
find_subject() {
  case $path in
  /?*) ;;
  *)
    answer stop refused 'that is no path of a workspace'
    return 1
    ;;
  esac
  case $HOME/ in
  "$path"/*)
    answer stop refused 'a home folder is in it'
    return 1
    ;;
  esac
  admin=$path dir=$path bare=
  case $kind in
  worktree)
    look "$common"
    if [ "$seen" = no ]; then
      mount_of "$anchor"
      if [ -n "$common_mount" ] && [ "$mount" != "$common_mount" ]; then
        answer waits mount "the disk of its repository is not mounted"
      elif [ -e "$path" ]; then
        answer stop owner "its repository is gone from $common, and what was its folder is still there"
      else
        answer gone '' ''
      fi
      return 1
    fi
    admin=$common/worktrees/$admin_name dir=$admin
    ;;
  repository)
    top=$path
    if find_common; then
      if [ "$common" != "$consented_common" ] && is_there; then
        answer stop refused "its git directory is $common now"
        return 1
      fi
      case $common in
      "$path" | "$path"/*) ;;
      *)
        answer stop blocked "its git directory lies elsewhere: $common"
        return 1
        ;;
      esac
    else
      common=$consented_common
    fi
    admin=$common dir=$common
    bare=
    [ "$common" != "$path" ] || bare=true
    ;;
  esac
  return 0
}

# Whether the generation that may go is still there: $stamp.
is_there() {
  case $kind in
  worktree) stamp_of "$admin" ;;
  repository) stamp_of "$common" ;;
  *) stamp_of "$path" ;;
  esac
  is_generation "$stamp"
}

# Where the record in $admin has its working tree: $where, empty if it has none.
recorded() {
  slurp "$admin/gitdir" || text=
  where=${text%/.git}
  case $where in
  /* | '') ;;
  *) where=$(cd -P "$admin/${where%/*}" 2>/dev/null && pwd -P)/${where##*/} ;;
  esac
}

# Whether the working tree of the record in $admin is locked: $text has the reason.
is_locked() {
  [ -e "$admin/locked" ] || [ -L "$admin/locked" ] || return 1
  slurp "$admin/locked" || text=
}

# What a path that is not there means: its disk may be away.
is_on_its_disk() {
  look "$path"
  case $seen in
  unknown)
    answer failed command "$why"
    return 1
    ;;
  no)
    mount_of "$anchor"
    if [ -n "$wanted_mount" ] && [ "$mount" != "$wanted_mount" ]; then
      answer waits mount "the disk at $wanted_mount is not mounted"
      return 1
    fi
    ;;
  esac
  return 0
}

take_arguments() {
  id=$1 epoch=$2 fail=$3
  stage=start locks= branch_said= place= mount_for= in_place=
  step start
}

# remove ID EPOCH FAIL KIND PATH COMMON NAME MOUNT COMMON-MOUNT GNU BSD WEAK MODE BRANCH-COMMIT BRANCH HEAD DIGEST DAYS
# KNOWN ONLY
remove() {
  take_arguments "$1" "$2" "$3"
  kind=$4 path=$5 common=$6 consented_common=$6 admin_name=$7 wanted_mount=$8 common_mount=$9
  shift 9
  gnu=$1 bsd=$2 weak=$3 mode=$4 branch_commit=$5 branch=$6 head=$7 digest=$8 days=$9
  shift 9
  known=$1 only=$2
  filters= doubt= chosen= compared= ceiling=${path%/*}
  is_hung "$path" && {
    answer waits disk "$why"
    return 0
  }
  find_subject || return 0
  step lock
  lock_repository || return 0
  remove_locked
  release_locks
}

# Takes the lock of the repository. `1` if the verb has been answered.
lock_repository() {
  [ "$kind" != directory ] && [ -d "$common" ] || return 0
  take_lock_or_say "$common/rollcall.lock"
}

remove_locked() {
  step resolve
  find_base
  no_rest=$why
  if [ "$kind" != worktree ] && [ -n "$base" ] && [ -z "$in_place" ]; then
    # What moves as a whole has the lock of the place it moves to as well.
    in_place=y
    why=$(mkdir -p "$base" 2>&1 3<&- 4>&-) || {
      failed "$why"
      return 0
    }
    take_lock_or_say "$base/lock" || return 0
  fi
  if [ -n "$base" ] && place_of_generation; then
    carry_on
    return 0
  fi
  is_there || {
    is_on_its_disk || return 0
    answer gone '' ''
    return 0
  }
  if [ "$kind" = worktree ]; then
    # Another record may have taken its name, and the folder may have gone elsewhere.
    recorded
    if [ "$where" != "$path" ]; then
      answer stop changed "it is at ${where:-no known path} now"
      return 0
    fi
  fi
  is_on_its_disk || return 0
  if [ "$seen" = no ]; then
    if [ "$kind" = worktree ] && is_locked; then
      answer waits away "it is locked and away${text:+: $text}"
    else
      answer waits prunable 'its folder is gone, and git still has a record of it'
    fi
    return 0
  fi
  if [ -L "$path" ] || [ ! -d "$path" ]; then
    answer stop refused 'something else stands at its path: a link or a file'
    return 0
  fi
  cd -P "$path" 2>/dev/null || {
    answer stop permission "$path cannot be entered"
    return 0
  }
  real=$PWD
  cd /
  if [ "$real" != "$path" ]; then
    answer stop refused "its path leads to $real now"
    return 0
  fi
  mount_of "$path"
  if [ "$mount" = "$path" ] || { [ -n "$wanted_mount" ] && [ "$mount" != "$wanted_mount" ]; }; then
    answer stop refused "another disk is mounted there: $mount"
    return 0
  fi
  if [ -z "$shelf" ]; then
    answer stop disk "$no_rest"
    return 0
  fi
  if [ "$kind" = worktree ]; then
    slurp "$path/.git" || text=
    back=${text#'gitdir: '}
    case $back in
    /*) ;;
    *) back=$path/$back ;;
    esac
    if ! cd -P "$back" 2>/dev/null || [ "$PWD" != "$admin" ]; then
      cd /
      answer stop refused 'its folder belongs to another repository now'
      return 0
    fi
    cd /
  fi
  step guard
  [ "$kind" = directory ] || more_filters
  if [ "$kind" = worktree ] && prunes; then
    answer stop refused 'a fetch of this repository would prune the references that keep what is in the trash'
    return 0
  fi
  if [ "$kind" = worktree ] && is_locked; then
    answer stop locked "${text:-no reason is given}"
    return 0
  fi
  if [ "$kind" != directory ]; then
    operation "$dir"
    if [ -n "$op" ]; then
      answer stop busy "$op"
      return 0
    fi
    if [ -e "$dir/index.lock" ]; then
      answer stop busy 'git holds its index, or left the lock of it behind'
      return 0
    fi
  fi
  users
  if [ -n "$why" ]; then
    answer stop in_use "$why"
    return 0
  fi
  if is_blocked; then
    answer stop blocked "$why"
    return 0
  fi
  if [ "$kind" != directory ]; then
    if is_changed; then
      answer stop changed "$why"
      return 0
    fi
  elif is_edited; then
    answer stop changed "$why"
    return 0
  fi
  # The manifest stays with the repository, wherever the tree rests.
  place=$base/$id tree=$shelf/$id/tree on=$branch
  why=$(mkdir -p "${tree%/tree}" 2>&1 3<&- 4>&-) || {
    failed "$why"
    return 0
  }
  step manifest
  begin
  write_manifest || {
    give_up
    return 0
  }
  read_manifest "$place"
  move_in
}

# Moves what is at $path to the trash, as far as that has not been done.
move_in() {
  if [ ! -e "$tree" ]; then
    if [ "$kind" = worktree ]; then
      step refs
      keep_references || {
        give_up
        return 0
      }
      keep_links || {
        give_up
        return 0
      }
      step detach
      if [ -n "$head" ] && [ -n "$(g -C "$path" symbolic-ref -q HEAD 2>/dev/null)" ]; then
        why=$(g -C "$path" update-ref --no-deref HEAD "$head" 2>&1) || {
          give_up
          return 0
        }
      fi
      step move
      move_worktree "$path" "$tree" || {
        give_up
        return 0
      }
    else
      step move
      rename "$path" "$tree" || {
        give_up
        return 0
      }
    fi
  fi
  step moved
  if [ "$kind" = worktree ] && [ ! -e "$admin/locked" ]; then
    why=$(g --git-dir="$common" worktree lock --reason "in the trash of Rollcall ($id)" "$tree" 2>&1) || {
      failed "$why"
      return 0
    }
  fi
  step branch
  delete_branch
  step done
  if [ "$kind" = repository ]; then
    # Its lock moved with it.
    rm -f "$tree${common#"$path"}/rollcall.lock" 3<&- 4>&-
  fi
  [ "$m_stage" = whole ] || note 'stage whole'
  m_stage=whole
  if [ "$mode" = delete_now ] && [ "$kind" = worktree ]; then
    remove_now
    return 0
  fi
  answer done '' ''
}

# What was moved away before the verb could end, by this or another desktop.
carry_on() {
  own_id=$id
  id=$m_id tree=$m_tree
  case $m_stage in
  restored)
    answer stop changed 'it was restored from the trash after you decided'
    return 0
    ;;
  restoring)
    answer stop changed 'somebody began to restore it from the trash'
    return 0
    ;;
  esac
  if [ "$id" != "$own_id" ]; then
    # Another decided on it first: it stays as they wanted it.
    mode=trash branch_commit=
    if [ "$m_stage" = whole ]; then
      answer gone '' ''
      return 0
    fi
  fi
  begin
  if [ "$m_stage" = removing ]; then
    wipe
    return 0
  fi
  if [ -e "$tree" ]; then
    on=$m_branch
    move_in
    return 0
  fi
  if [ -e "$path" ]; then
    # Nothing has been moved, and people may have gone on with it since: all is looked at again.
    take_back
    id=$own_id
    remove_locked
    return 0
  fi
  look "$tree"
  mount_of "$anchor"
  if [ -n "$m_mount" ] && [ "$mount" != "$m_mount" ]; then
    answer waits mount "the disk at $m_mount is not mounted"
    return 0
  fi
  # Somebody emptied the trash by hand.
  wipe
}

# Undoes what was done before the move failed.
take_back() {
  if [ "$kind" = worktree ]; then
    reattach
    drop_references
    if [ -f "$place/links/git" ]; then touch -r "$place/links/top" "$path" 2>/dev/null 3<&- 4>&-; fi
  fi
  case $place in
  */*rollcall-trash/?*)
    rm -rf "$place" 3<&- 4>&-
    rmdir "${tree%/tree}" 2>/dev/null 3<&- 4>&-
    rmdir "${place%/*}" 2>/dev/null 3<&- 4>&-
    ;;
  esac
}

# Ends a removal that failed before anything was moved, with $why.
give_up() {
  why_not=$why
  take_back
  failed "$why_not"
}

# Has HEAD stand on its branch again, if that is where it was, and on a commit otherwise. $branch_said tells which.
reattach() {
  [ -n "$m_branch" ] && [ -n "$m_head" ] || return 0
  # Who went on working meanwhile keeps what HEAD is.
  [ -z "$(g -C "$path" symbolic-ref -q HEAD 2>/dev/null)" ] || return 0
  [ "$(g -C "$path" rev-parse -q --verify HEAD 2>/dev/null)" = "$m_head" ] || return 0
  now=$(g --git-dir="$common" rev-parse -q --verify "$m_branch" 2>/dev/null)
  if [ "$now" != "$m_head" ]; then
    if [ -n "$now" ]; then
      branch_said="left: ${m_branch#refs/heads/} has moved to $now meanwhile, so HEAD stands at $m_head"
    else
      branch_said="left: ${m_branch#refs/heads/} is gone, so HEAD stands at $m_head"
    fi
    return 0
  fi
  if is_checked_out "$m_branch"; then
    branch_said="left: ${m_branch#refs/heads/} is checked out elsewhere, so HEAD stands at $m_head"
    return 0
  fi
  g_or_not -C "$path" symbolic-ref HEAD "$m_branch" 2>/dev/null
}

# Deletes at once what has just been moved away, if it is still what was agreed to, where nobody edits it.
remove_now() {
  step compare
  was=$path path=$tree
  [ -n "$filters" ] || more_filters
  users
  if [ -n "$why" ]; then
    path=$was
    answer stop in_use "$why"
    return 0
  fi
  if is_blocked; then
    path=$was
    answer stop blocked "it rests in the trash: $why"
    return 0
  fi
  if is_edited; then
    path=$was
    answer stop changed "it rests in the trash: $why"
    return 0
  fi
  path=$was
  wipe
}
