# Calls the roll: what is there, then what one `status` for each working tree, and some calls for each repository,
# tell about it.

directory() {
  enter "$1" "$2" || return 1
  items=$((items + 1)) repos=$((repos + 1))
  say D "$1" "$items" "$top"
  eval "R$repos=$1 C$repos= V$repos=\$top T$repos= B$repos=$items L$repos=$items W$repos="
}

repository() {
  enter "$1" "$2" || return 1
  if [ -z "$git" ]; then
    say X "$1" nogit '' ''
    return 1
  fi
  find_common || {
    say X "$1" "$fault" '' "$why"
    return 1
  }
  if [ -d "$common/worktrees" ]; then
    if [ ! -r "$common/worktrees" ] || [ ! -x "$common/worktrees" ]; then
      say X "$1" denied '' 'worktrees: Permission denied'
      return 1
    fi
  fi
  if [ -n "$hung" ]; then
    set +f
    for admin in "$common"/worktrees/*/gitdir; do
      if slurp "$admin" && is_hung "$text"; then
        set -f
        say X "$1" hung '' "of its worktrees, one cannot be looked at: $why"
        return 1
      fi
    done
    set -f
  fi
  trash_in "$common/rollcall-trash"
  items=$((items + 1)) repos=$((repos + 1))
  # The tree of a repository whose git directory is its own folder is no working tree.
  tree=$top
  [ "$common" = "$top" ] && tree=
  # What a stray setting calls bare has been checked out all the same.
  used=
  [ ! -e "$common/index" ] || used=y
  say B "$1" "$items" "$top" "$common" "$tree" "$used"
  eval "R$repos=$1 C$repos=\$common V$repos=\$top T$repos=\$tree B$repos=$items M$repos=\$chosen"
  names=
  set +f
  for admin in "$common"/worktrees/* "$common"/worktrees/.[!.]*; do
    [ -d "$admin" ] || continue
    items=$((items + 1))
    names=$names${admin##*/}/
  done
  set -f
  eval "L$repos=$items W$repos=\$names"
}

# Tells what rests in the trash below $1, each place once.
trash_in() {
  [ -d "$1" ] || return 0
  set +f
  for place in "$1"/*/manifest; do
    set -f
    case $places in
    *"$nl$place$nl"*) ;;
    *) [ ! -f "$place" ] || tell_trash "${place%/manifest}" ;;
    esac
  done
  set -f
}

tell_trash() {
  slurp "$1/manifest" || return 1
  [ -n "$clock" ] || clock=$(date +%s 2>/dev/null 3<&- 4>&-)
  places=$places$nl$1/manifest$nl
  mount_of "$1"
  flatten "$text"
  say Y "$1" "$mount" "$clock" "$flat"
}

# Tells what rests in the trash beside $1, or beside a folder above it, where repositories and directories go.
trash_beside() {
  beside=$1
  while :; do
    beside=${beside%/*}
    [ ! -d "$beside/.rollcall-trash" ] || trash_in "$beside/.rollcall-trash"
    [ -n "$beside" ] || break
  done
}

# Looks at a place $1 of the trash that the desktop knows by the number $2.
known_trash() {
  case $places in
  *"$nl$1/manifest$nl"*) return 0 ;;
  esac
  is_hung "$1" && return 0
  look "$1/manifest"
  case $seen in
  yes) tell_trash "$1" ;;
  no)
    mount_of "$anchor"
    say y "$2" "$mount"
    ;;
  esac
}

# Goes to one of all workspaces, which are numbered through. It is that of a root itself where $name is empty, and else
# the linked worktree that $admin tells of. A shell looks long for a variable among many, so there is one for each
# repository and not one for each workspace.
seek() {
  if [ "$1" = "$((sought + 1))" ] && [ "$1" -le "$last_item" ]; then
    name=${names%%/*} names=${names#*/}
  else
    [ "$1" -ge "$first_item" ] || repo=0 last_item=0
    while [ "$1" -gt "$last_item" ]; do
      repo=$((repo + 1))
      eval "first_item=\$B$repo last_item=\$L$repo"
    done
    eval "at=\$R$repo common=\$C$repo top=\$V$repo names=\$W$repo"
    name= skip=$(($1 - first_item))
    if [ "$skip" -gt 0 ]; then
      IFS=/
      skip_names "$skip" $names
      IFS=$blank
    fi
  fi
  sought=$1
  admin=$common
  [ -z "$name" ] || admin=$common/worktrees/$name
}

# Of the names behind the first argument, which says how many, goes to the last of those.
skip_names() {
  shift "$1"
  name=$1
  shift
  names="$*/"
}

# Has git say what worktrees each of a share of the repositories has. Lines of ours stand around theirs, and one `tr` makes
# lines of what ends in NUL.
lists() {
  turn_repo=$((($1 - 1) * 4)) end_repo=$(($1 * 4))
  [ "$end_repo" -le "$repos" ] || end_repo=$repos
  out=$({
    while [ "$turn_repo" -lt "$end_repo" ]; do
      turn_repo=$((turn_repo + 1))
      eval "at=\$R$turn_repo top=\$V$turn_repo common=\$C$turn_repo"
      [ -n "$common" ] || continue
      ceiling=${top%/*}
      printf 'begun %s %s\000' "$turn_repo" "$at"
      g_or_not -C "$top" worktree list --porcelain -z 2>/dev/null
      printf 'ended %s\000' "$?"
    done
  } | tr '\000\n' '\n\001' 3<&- 4>&- 5<&-)
  IFS=$nl
  for line in $out; do
    case $line in
    'begun '*)
      at=${line##* } part= line=${line#begun }
      turn_repo=${line% *}
      ;;
    'ended 0')
      say L "$at" z
      say P "$at" list "$part"
      say p "$at" list 0 ''
      ;;
    'ended '*)
      IFS=$blank
      list_alone "$turn_repo" "${line#ended }"
      ;;
    *)
      if [ "$((${#part} + ${#line}))" -gt 3000 ]; then
        say P "$at" list "$part"
        part=
        [ "${#line}" -le 3000 ] || line=$(printf '%.3000s' "$line")
      fi
      part=$part$line$stx
      ;;
    esac
  done
  IFS=$blank
}

# Asks one repository again that gave the exit code $2: with other words if its git is older, and else for why.
list_alone() {
  eval "at=\$R$1 top=\$V$1"
  ceiling=${top%/*} code=$2
  if [ "$code" = 129 ]; then
    # A path with a line break cannot be told from two lines.
    out=$(g -C "$top" worktree list --porcelain 2>/dev/null)
    code=$?
    if [ "$code" = 0 ]; then
      say L "$at" n
      tell "$at" list "$out" 0 ''
      return 0
    fi
  fi
  err=$(g -C "$top" worktree list --porcelain 2>&1 >/dev/null)
  [ "$code" -lt 128 ] || [ -n "$err" ] || err="git did not answer within $limit seconds"
  flatten "$(printf '%.1000s' "$err")"
  say X "$at" list '' "$flat"
}

# What the administrative directory $admin points to, and whether that is there and points back.
place_of() {
  raw= there= state=unread why= where=
  if slurp "$admin/gitdir"; then raw=$text; else why='its gitdir file cannot be read'; fi
  full=$raw
  case $raw in
  '')
    [ -n "$why" ] || why='its gitdir file is empty'
    return 0
    ;;
  /*) ;;
  *) full=$admin/$raw ;;
  esac
  where=${full%/.git}
  if [ "${#full}" -gt 1000 ]; then
    raw= where= why='its path is too long'
    return 0
  fi
  if is_hung "$full"; then
    state=unknown
    return 0
  fi
  look "$full"
  case $seen in
  no) state=gone ;;
  unknown) state=unknown ;;
  yes)
    state=foreign
    if [ ! -f "$full" ]; then
      why='its .git is not a file'
    elif slurp "$full"; then
      back=${text#gitdir: }
      case $back in
      /*) ;;
      *) back=$where/$back ;;
      esac
      if [ "$back" = "$admin" ] || { cd -P "$back" 2>/dev/null && [ "$PWD" = "$admin" ]; }; then
        state=unknown why='Permission denied'
        cd -P "$where" 2>/dev/null && state=there there=$PWD why=
      else
        why='its .git file belongs to another repository or record'
      fi
    else
      state=unknown why='Permission denied'
    fi
    ;;
  esac
  # The list of an older git gives no path that a relative link could be told from.
  case $raw in
  /*) ;;
  *)
    [ -z "$there" ] || where=$there
    ;;
  esac
}

# Says what there is of a share of all workspaces, and what tells it from what comes later.
entries() {
  turn_item=$((($1 - 1) * 120)) end_item=$(($1 * 120)) args= asked= size=0 kept=0
  [ "$end_item" -le "$items" ] || end_item=$items
  set --
  while [ "$turn_item" -lt "$end_item" ]; do
    turn_item=$((turn_item + 1)) kept=$((kept + 1))
    seek "$turn_item"
    if [ -z "$name" ]; then
      there=$top
      [ -n "$admin" ] || admin=$top
    else
      place_of
      lock=n reason=
      if [ -e "$admin/locked" ] || [ -L "$admin/locked" ]; then
        lock=y
        slurp "$admin/locked" && reason=$text
        [ "${#reason}" -le 500 ] || reason=$(printf '%.500s' "$reason")
      fi
      set -- "$@" W "$at" "$turn_item"
      for line in "$name" "$raw" "$where" "$there" "$state" "$why" "$lock" "$reason"; do
        flatten "$line"
        set -- "$@" "$flat"
      done
      size=$((size + 3 * ${#raw} + ${#reason} + 200))
      [ "$size" -lt 2000 ] || {
        say "$@"
        set --
        size=0
      }
    fi
    eval "x$kept=\$admin y$kept=\$there"
    asked=$asked${turn_item}g$nl args="$args \"\$x$kept\""
    [ -z "$there" ] || asked=$asked${turn_item}m$nl args="$args \"\$y$kept\""
  done
  [ "$#" -eq 0 ] || say "$@"
  eval "stamps $args"
}

# Looks whether the path $1 is there, which the desktop knows by the number $2.
probe() {
  if is_hung "$1"; then seen=unknown; else look "$1"; fi
  case $seen in
  yes) found="e $2" ;;
  no)
    mount_of "$anchor"
    found="n $2 $mount"
    ;;
  *) found="u $2 $why" ;;
  esac
  # What cannot be told in a line is not known.
  case $found in
  *"$nl"*) found="u $2 its disk has a name of several lines" ;;
  esac
  probed=$probed$found$nl
  [ "${#probed}" -lt 2000 ] || {
    say K "$at_root" "$probed"
    probed=
  }
}

# Reads the configuration of a repository: what has to be known before any of its working trees is looked at.
configuration() {
  eval "at=\$R$1 common=\$C$1 top=\$V$1"
  [ -n "$common" ] || return 0
  ceiling=${top%/*}
  # Keys may hold blanks and values newlines: -z keeps them apart, and tr makes each entry a line.
  settings=$(g -C "$top" config -z --get-regexp \
    '^(filter\..*|remote\..*\.(url|promisor)|branch\..*\.(remote|merge)|include(if\..*)?\.path|core\.sparsecheckout|extensions\..*)$' \
    2>/dev/null | tr '\n\000' '\001\n' 3<&- 4>&-)
  filters= remotes= conditional=
  IFS=$nl
  for line in $settings; do
    case $line in
    filter.*)
      key=${line%%"$soh"*}
      key=${key#filter.}
      key=${key%.*}
      case $nl$filters in
      *"$nl$key$nl"*) ;;
      *) filters=$filters$key$nl ;;
      esac
      ;;
    remote.*.url*) remotes=1 ;;
    include*) conditional=1 ;;
    esac
  done
  IFS=$blank
  eval "F$1=\$filters H$1=\$remotes N$1=\$conditional"
  tell "$at" settings "$settings" 0 ''
  shallow= lfs= borrows=
  [ ! -e "$common/shallow" ] || shallow=y
  [ ! -d "$common/lfs" ] || lfs=y
  slurp "$common/objects/info/alternates" && borrows=$text
  say T "$at" "${remotes:-0}" "$shallow" "$lfs" "$borrows"
}

# What one call each tells about all branches of a repository.
branches() {
  eval "at=\$R$1 common=\$C$1 top=\$V$1 remotes=\$H$1 first=\$B$1 all=\$W$1 bases=\$M$1"
  [ -n "$common" ] || return 0
  ceiling=${top%/*}
  if [ -d "$common/reftable" ]; then
    out=$(g -C "$top" log -g --no-show-signature --format=%gs refs/stash -- 2>/dev/null) || out=
    tell "$at" stashes "$out" 0 ''
  elif [ ! -f "$common/logs/refs/stash" ]; then
    tell "$at" stashes '' 0 ''
  elif [ -r "$common/logs/refs/stash" ]; then
    out=
    while IFS= read -r line; do out=$out${line#*"$tab"}$nl; done <"$common/logs/refs/stash"
    tell "$at" stashes "$out" 0 ''
  else
    tell "$at" stashes '' 1 'Permission denied'
  fi

  form='%(refname)%01%(objectname)%01%(upstream)%01%(symref)'
  long=$form'%01%(committerdate:unix)%01%(authorname)%01%(contents:subject)'
  base= code=1
  [ -n "$bases" ] || bases_of
  if [ -n "$distances" ]; then
    for base in $bases; do
      out=$(g -C "$top" for-each-ref --format="$long%01%(ahead-behind:$base)" refs/heads refs/stash "$base" 2>&1)
      code=$?
      [ "$code" != 0 ] || break
    done
  fi
  if [ "$code" != 0 ]; then
    base=
    # The likeliest base stands in the list, if it is there.
    out=$(g -C "$top" for-each-ref --format="$long" refs/heads refs/stash ${bases%% *} 2>&1)
    code=$?
  fi
  if [ "$code" != 0 ]; then
    # An object is missing: names, and what they follow, can be told all the same.
    out=$(g -C "$top" for-each-ref --format="$form" refs/heads refs/stash 2>&1)
    code=$?
  fi
  why=
  [ "$code" = 0 ] || words_of "$out"
  tell "$at" branches "$out" "$code" "$why"
  say U "$at" "$base"
  [ -n "$remotes" ] || return 0

  # Every commit that no remote has, with its parents. Who reaches which is told from that, for all at once.
  out=$({
    echo main-worktree/HEAD
    IFS=/
    for name in $all; do
      case $name in
      *"$nl"*) ;;
      *) printf '%s\n' "worktrees/$name/HEAD" ;;
      esac
    done
  } | g -C "$top" rev-list --ignore-missing --parents --max-count=5001 --branches --stdin --not --remotes 2>&1)
  code=$?
  if [ "$code" = 0 ]; then
    IFS=$nl
    set -- $out
    IFS=$blank
    [ "$#" -gt 5000 ] || {
      tell "$at" unpushed "$out" 0 ''
      return 0
    }
  fi
  # They are too many, or one of them is damaged: each working tree for itself.
  IFS=/
  set -- $all
  IFS=$blank
  for name in '' "$@"; do
    if [ -n "$name" ]; then name=worktrees/$name; else name=main-worktree; fi
    out=$(g -C "$top" rev-list --count "$name/HEAD" --not --remotes 2>&1)
    code=$? why=
    [ "$code" = 0 ] || words_of "$out"
    tell "$first" alone "${out##*"$nl"}" "$code" "$why"
    first=$((first + 1))
  done
  IFS=$blank
}

# What one status, and a second call where needed, tell about a working tree.
fact() {
  id=$1
  seek "$id"
  dir=$admin
  if [ -z "$name" ]; then
    eval "path=\$T$repo"
  elif [ -z "$hung" ] && slurp "$dir/gitdir" && full=$text && [ "${#full}" -le 1000 ] &&
    slurp "$full" && [ "$text" = "gitdir: $dir" ]; then
    # Mostly one look at either link is enough.
    path=${full%/.git}
  else
    place_of
    path=$there
  fi
  [ -n "$path" ] || return 0
  eval "filters=\$F$repo conditional=\$N$repo"
  ceiling=${path%/*}
  staged=0 unstaged=0 untracked=0 conflicted=0
  oid= head= upstream= ahead= behind= doubt= modified= newest= sparse= held=
  if [ -f "$dir/config.worktree" ]; then
    more_filters
    if [ -f "$dir/info/sparse-checkout" ] &&
      [ "$(g -C "$path" config --bool core.sparseCheckout 2>/dev/null)" = true ]; then sparse=y; fi
  elif [ -n "$conditional" ]; then
    more_filters
  fi
  [ ! -e "$dir/index.lock" ] || held=y
  operation "$dir"
  filters_can_be_overridden || {
    told 1
    return 0
  }
  submodules_of "$dir"
  out=$(unfiltered -C "$path" status --porcelain=v2 --branch --ahead-behind --untracked-files=normal \
    --ignore-submodules="$submodules" 2>&1)
  code=$?
  if [ "$code" != 0 ]; then
    words_of "$out"
    doubt=$why
    [ "$code" -lt 128 ] || [ -n "$doubt" ] || doubt="git did not answer within $limit seconds"
    told "$code"
    return 0
  fi
  changed=
  IFS=$nl
  for line in $out; do
    case $line in
    '# branch.oid '*) oid=${line#'# branch.oid '} ;;
    '# branch.head (detached)') head=detached ;;
    '# branch.upstream '*) upstream=${line#'# branch.upstream '} ;;
    '# branch.ab '*)
      ahead=${line#*+}
      behind=${ahead#* -}
      ahead=${ahead%% *}
      ;;
    '#'*) ;;
    '? '*)
      untracked=$((untracked + 1))
      [ "$untracked" -gt 100 ] || changed=$changed${line#'? '}$nl
      ;;
    '1 '* | '2 '*)
      case $line in
      ?' .'*) ;;
      *) staged=$((staged + 1)) ;;
      esac
      case $line in
      ?' '?.*) ;;
      *)
        unstaged=$((unstaged + 1))
        if [ "$unstaged" -le 1000 ]; then
          name=${line#* * * * * * * * }
          case $line in
          2*)
            name=${name#* }
            name=${name%%"$tab"*}
            ;;
          esac
          modified=$modified$name$nl
        fi
        ;;
      esac
      ;;
    'u '*)
      conflicted=$((conflicted + 1))
      [ "$conflicted" -gt 100 ] || changed=$changed${line#* * * * * * * * * * }$nl
      ;;
    'warning: could not open directory'*) doubt='a folder in it cannot be read' ;;
    # A store that cannot be borrowed from lacks nothing, or git would say so itself.
    'error:'*alternate*) ;;
    error:*) doubt=$(printf '%.180s' "$line") ;;
    esac
  done
  IFS=$blank
  if [ -n "$filters" ] && [ "$unstaged" -gt 0 ]; then
    if [ "$unstaged" -gt 1000 ]; then
      doubt='many changed files may be under a content filter'
    else
      attributes=$(printf '%s' "$modified" | g -C "$path" check-attr --stdin filter 2>&1) ||
        doubt='git cannot tell which files are under a content filter'
      IFS=$nl
      for line in $attributes; do
        case $line in
        *': filter: unspecified' | *': filter: unset') ;;
        *) doubt='changed files are under a content filter, which is not run' ;;
        esac
      done
      IFS=$blank
    fi
  fi
  [ -z "$modified$changed" ] || newest_of
  told 0
  [ "$head" != detached ] || {
    out=$(g -C "$path" rev-list --max-count=1 --format="%ct$soh%an$soh%s" HEAD 2>&1)
    code=$?
    tell "$id" commit "$out" "$code" ''
  }
}

# The newest modification among some hundred changed files at most: $newest.
newest_of() {
  count=0
  set --
  IFS=$nl
  for name in $modified$changed; do
    case $name in
    '"'*) continue ;;
    esac
    [ -e "$path/$name" ] || continue
    count=$((count + 1))
    [ "$count" -le 200 ] || break
    set -- "$@" "$path/$name"
  done
  IFS=$blank
  [ "$#" -gt 0 ] || return 0
  for line in $(stat -c %Y "$@" 2>/dev/null 3<&- 4>&- || stat -f %m "$@" 2>/dev/null 3<&- 4>&-); do
    case $line in
    *[!0-9]*) ;;
    *) [ "$line" -le "${newest:-0}" ] || newest=$line ;;
    esac
  done
}

# Says what is known of some working trees, in one record: each wakes up whoever reads.
hand_in() {
  [ -z "$facts" ] || say F "$facts"
  facts=
}

# Notes what is known of a working tree; $1 is the exit code of its status.
told() {
  # What may be long is cut, so that the record stays short.
  [ "${#upstream}" -le 300 ] || upstream=$(printf '%.300s' "$upstream")
  [ "${#op_branch}" -le 300 ] || op_branch=$(printf '%.300s' "$op_branch")
  facts=$facts$id$soh$1$soh$staged$soh$unstaged$soh$untracked$soh$conflicted$soh$oid$soh$upstream$soh
  facts=$facts$ahead$soh$behind$soh$op$soh$op_branch$soh$op_step$soh$op_of$soh$newest$soh$sparse$soh
  facts=$facts$held$soh$doubt$stx
  [ "${#facts}" -lt 2000 ] || hand_in
}

# Gives out the work while it lasts: $units pieces, in shares that become smaller. Each share is called by one letter,
# and every loop takes letters from one pipe: whichever gets a byte has a whole letter, and no other has it.
share_out() {
  [ "$units" -gt 0 ] || return 0
  cores
  [ "$n" -le "$units" ] || n=$units
  given=0 left=74 tokens=
  for letter in $letters; do
    [ "$given" -lt "$units" ] || break
    share=$(((units - given) / (3 * n)))
    [ "$share" -ge "$(((units - given + left - 1) / left))" ] || share=$(((units - given + left - 1) / left))
    left=$((left - 1))
    tokens=$tokens$letter$nl
    eval "S$left=$given E$left=$((given + share))"
    given=$((given + share))
  done
  printf '%s' "$tokens" | pool 3<&- &
  pool=$!
  # A signal that is not the last word on time interrupts the waiting too.
  while [ -z "$late" ] && kill -0 "$pool" 2>/dev/null; do wait "$pool" 2>/dev/null; done
}

pool() {
  # What runs in the background reads from nothing, and so do the programs that it starts.
  exec 5<&0 </dev/null
  workers= k=1
  while [ "$k" -le "$n" ]; do
    worker &
    workers="$workers $!"
    k=$((k + 1))
  done
  for k in $workers; do wait "$k"; done
}

worker() {
  facts= began= repo=0 first_item=0 last_item=0
  # Another loop may have got the end of the last line.
  while read -r taken <&5 || [ -n "$taken" ]; do
    while [ -n "$taken" ]; do
      rest=${taken#?}
      letter=${taken%"$rest"}
      taken=$rest
      before=${letters%"$letter"*}
      # Letters stand two bytes apart, and the first has the highest number.
      share=$((73 - ${#before} / 2))
      eval "turn=\$S$share end=\$E$share"
      while [ "$turn" -lt "$end" ]; do
        turn=$((turn + 1))
        unit "$turn"
      done
      hand_in
    done
  done
}

# Does one piece of the work. What is there comes first, so that a late answer lacks facts and no workspaces.
unit() {
  at_unit=$1
  for what in lists:$lists entries:$shares branches:$described activities:$strips fact:$looked; do
    if [ "$at_unit" -le "${what#*:}" ]; then
      case $began$what in
      branches:* | activities:* | fact:*)
        progress 3 "$units"
        began=y
        ;;
      esac
      "${what%:*}" "$at_unit"
      return 0
    fi
    at_unit=$((at_unit - ${what#*:}))
  done
}

# When git last wrote down something about some seventy working trees: one stat for all of them.
activities() {
  active=0 args= active_ids= turn_item=$((($1 - 1) * 70)) end_item=$(($1 * 70))
  [ "$end_item" -le "$items" ] || end_item=$items
  while [ "$turn_item" -lt "$end_item" ]; do
    turn_item=$((turn_item + 1))
    seek "$turn_item"
    for line in index logs/HEAD; do
      [ -f "$admin/$line" ] || continue
      active=$((active + 1))
      eval "x$active=\$admin/\$line"
      args="$args \"\$x$active\""
      active_ids="$active_ids$turn_item "
    done
  done
  [ "$active" -gt 0 ] || return 0
  eval "set -- $args"
  out=$(stat -c %Y "$@" 2>/dev/null 3<&- 4>&- 5<&-) || out=$(stat -f %m "$@" 2>/dev/null 3<&- 4>&- 5<&-) || out=
  IFS=$nl
  set -- $out
  IFS=$stx
  out="$*"
  IFS=$blank
  say A "$active_ids" "$out"
}

roll() {
  tier=$1 roots=$2 places= clock=
  shift 2
  # Whoever asked notes when each part began: the way to the roots, what is there, and what is known about that.
  progress 1 "$roots"
  items=0 repos=0 whole= sought=-1 first_item=0 last_item=0 repo=0
  letters='a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J K L M N O P Q R S T U V W X Y Z'
  letters="$letters 0 1 2 3 4 5 6 7 8 9 + - . , : ; = @ _ / % ^"
  at_root=0
  while [ "$at_root" -lt "$roots" ]; do
    kind=$1 path=$2 chosen=$3 left=$4 before=$items
    shift 4
    case $kind in
    directory) directory "$at_root" "$path" ;;
    *) repository "$at_root" "$path" ;;
    esac && {
      whole="$whole $at_root:$((items - before))"
      number=0 probed=
      while [ "$number" -lt "$left" ]; do
        probe "$1" "$number"
        shift
        number=$((number + 1))
      done
      [ -z "$probed" ] || say K "$at_root" "$probed"
      left=0
    }
    [ "$left" -eq 0 ] || shift "$left"
    [ -n "$hung" ] || trash_beside "$path"
    at_root=$((at_root + 1))
  done
  left=$1
  shift
  number=0
  while [ "$number" -lt "$left" ]; do
    known_trash "$1" "$number"
    shift
    number=$((number + 1))
  done
  progress 2 "$items"
  lists=$(((repos + 3) / 4)) shares=$(((items + 119) / 120)) described=0 strips=0 looked=0
  if [ "$tier" != existence ]; then
    repo=1
    while [ "$repo" -le "$repos" ]; do
      configuration "$repo"
      repo=$((repo + 1))
    done
    described=$repos strips=$(((items + 69) / 70)) looked=$items
  fi
  units=$((lists + shares + described + strips + looked))
  share_out
  for at in $whole; do say E "${at%:*}" "${at#*:}" "$close"; done
}
