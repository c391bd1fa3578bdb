# The collector: a POSIX shell and git are all it needs. Functions only, called by the last line, so that a
# script cut in transit runs nothing. It writes nothing on the host, not even a here-document.
#
# Answer, on file descriptor 4: A B joined, then records whose fields end in NUL, then Z. `B A` joined closes
# roots, raw blocks and the answer; it stands nowhere in this script, so an echo of it closes nothing.
# Records of parallel loops are one short printf each and cannot mix. Heartbeats go to standard error, because
# a raw block may be on its way on the other stream.

g() {
  GIT_CEILING_DIRECTORIES=$ceiling
  export GIT_CEILING_DIRECTORIES
  exec git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=true "$@" 3<&- 4>&-
}

say() { printf '%s\000' "$@" >&4; }

# Reads a small file into $text, without the newline at its end and with no process.
slurp() {
  text= line= lines=0
  [ -r "$1" ] || return 1
  {
    while IFS= read -r line; do
      text=$text$line$nl
      lines=$((lines + 1))
      [ "$lines" -lt 64 ] || { line=; break; }
    done
  } 2>/dev/null <"$1" || return 1
  text=$text$line
  text=${text%"$nl"}
}

# Looks whether a path is there: $seen is yes, no or unknown with $why; for "no", $anchor is the deepest
# ancestor that exists.
look() {
  why= anchor=
  if [ -e "$1" ] || [ -L "$1" ]; then
    seen=yes
    return 0
  fi
  why=$(ls -d "$1" 2>&1 >/dev/null 3<&- 4>&-) && { seen=yes; why=; return 0; }
  case $why in
  *': No such file or directory')
    seen=no
    anchor=$1
    while :; do
      anchor=${anchor%/*}
      [ -n "$anchor" ] || { anchor=/; break; }
      if [ -e "$anchor" ]; then break; fi
    done
    ;;
  *)
    seen=unknown
    why=${why##*: }
    ;;
  esac
}

mount_of() {
  [ "$1" = "$mount_for" ] && return 0
  mount_for=$1
  mount=$(stat -c %m "$1" 2>/dev/null 3<&- 4>&-) || mount=
  case $mount in
  /*) ;;
  *)
    mount=$(df -P "$1" 2>/dev/null 3<&- 4>&- | sed -n '2s/^.*% *//p' 3<&- 4>&-)
    ;;
  esac
}

# One stat for many directories. Names stay out of its output, so the order is what counts.
queue() {
  queued=$((queued + 1))
  eval "q$queued=\$2"
  queue_args="$queue_args \"\$q$queued\""
  queue_ids="$queue_ids$1 "
  [ "$queued" -lt 400 ] || flush
}

queue_place() {
  placed=$((placed + 1))
  eval "m$placed=\$2"
  place_args="$place_args \"\$m$placed\""
  place_ids="$place_ids$1 "
  [ "$placed" -lt 400 ] || flush
}

flush() {
  if [ "$queued" -gt 0 ]; then
    eval "set -- $queue_args"
    stamps "$@"
    queued=0 queue_args= queue_ids=
  fi
  if [ "$placed" -gt 0 ]; then
    eval "set -- $place_args"
    places "$@"
    placed=0 place_args= place_ids=
  fi
}

stamps() {
  if [ -z "$flavour" ]; then
    flavour=plain
    case $(stat -c '%i %w' / 2>/dev/null 3<&- 4>&-) in
    [0-9]*' '[0-9-]*) flavour=gnu ;;
    *)
      case $(stat -f '%i %FB' / 2>/dev/null 3<&- 4>&-) in
      [0-9]*' '[0-9]*) flavour=bsd ;;
      esac
      ;;
    esac
  fi
  out=
  case $flavour in
  gnu) out=$(stat -c '%i %w' "$@" 2>/dev/null 3<&- 4>&-) && birth_known ;;
  bsd) out=$(stat -f '%i %FB' "$@" 2>/dev/null 3<&- 4>&-) && birth_known ;;
  *) false ;;
  esac && {
    say G "$queue_ids" "$out"
    return 0
  }
  # One by one: a directory may have gone meanwhile, or the file system keeps no birth times. Then the inode
  # and a file that git writes once into a linked worktree's directory tell less, but something.
  IFS=' '
  for id in $queue_ids; do
    IFS=$blank
    out=
    case $flavour in
    gnu) out=$(stat -c '%i %w' "$1" 2>/dev/null 3<&- 4>&-) ;;
    bsd) out=$(stat -f '%i %FB' "$1" 2>/dev/null 3<&- 4>&-) ;;
    esac
    if [ -n "$out" ] && birth_known; then
      say G "$id " "$out"
    elif [ -f "$1/commondir" ]; then
      inode=$(ls -di "$1" 2>/dev/null 3<&- 4>&-)
      once=$(stat -c %Y "$1/commondir" 2>/dev/null 3<&- 4>&-) ||
        once=$(stat -f %m "$1/commondir" 2>/dev/null 3<&- 4>&-)
      while :; do
        case $inode in
        ' '*) inode=${inode# } ;;
        *) break ;;
        esac
      done
      say O "$id" "${inode%%' '*}" "$once"
    fi
    shift
  done
  IFS=$blank
}

birth_known() {
  case $out in
  *' -' | *" -$nl"*) return 1 ;;
  esac
}

places() {
  if out=$(stat -c %m "$@" 2>/dev/null 3<&- 4>&-); then
    case $out in
    /*)
      say M "$place_ids" "$out"
      return 0
      ;;
    esac
  fi
  IFS=' '
  for id in $place_ids; do
    IFS=$blank
    mount_of "$1"
    say M "$id " "$mount"
    shift
  done
  IFS=$blank
}

# Where the git directory of the repository at $top is: $common, canonical; or a reason in $fault.
find_common() {
  fault=
  if [ -d "$top/.git" ]; then
    common=$top/.git
  elif [ -f "$top/.git" ]; then
    slurp "$top/.git" || { fault=denied; return 1; }
    case $text in
    'gitdir: '*) common=${text#gitdir: } ;;
    *) fault=link; return 1 ;;
    esac
    case $common in
    /*) ;;
    *) common=$top/$common ;;
    esac
  elif [ -f "$top/HEAD" ] && [ -d "$top/objects" ]; then
    common=$top
  else
    look "$top/.git"
    fault=none
    [ "$seen" = unknown ] && fault=denied
    return 1
  fi
  if [ ! -d "$common" ]; then
    look "$common"
    fault=link
    [ "$seen" = unknown ] && fault=denied
    return 1
  fi
  if [ ! -r "$common" ] || [ ! -x "$common" ]; then fault=denied; return 1; fi
  cd -P "$common" 2>/dev/null || { fault=denied; return 1; }
  common=$PWD
  if [ -e "$common/commondir" ]; then fault=linked; return 1; fi
}

# Goes to a root: $top is its canonical path. Says why not, if not.
enter() {
  look "$2"
  case $seen in
  no)
    mount_of "$anchor"
    say X "$1" gone "$mount" ''
    return 1
    ;;
  unknown)
    say X "$1" unseen '' "$why"
    return 1
    ;;
  esac
  if [ ! -d "$2" ]; then
    say X "$1" file '' ''
    return 1
  fi
  why=$( (cd -P "$2") 2>&1 3<&- 4>&-) || {
    # Not every shell says why it cannot go there.
    [ -x "$2" ] || why='Permission denied'
    say X "$1" denied '' "$why"
    return 1
  }
  cd -P "$2" 2>/dev/null || {
    say X "$1" denied '' ''
    return 1
  }
  top=$PWD
}

directory() {
  enter "$1" "$2" || return 1
  next=$((next + 1))
  say D "$1" "$next" "$top"
  queue "$next" "$top"
  queue_place "$next" "$top"
  count=1
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
  ceiling=${top%/*}
  code=129
  if [ -z "$lines_only" ]; then
    say L "$1" z
    err=$(g -C "$top" worktree list --porcelain -z 2>&1 >&4)
    code=$?
    say '' "$close" "$code" "$err"
  fi
  if [ "$code" = 129 ]; then
    lines_only=1
    say L "$1" n
    err=$(g -C "$top" worktree list --porcelain 2>&1 >&4)
    code=$?
    say '' "$close" "$code" "$err"
  fi
  if [ "$code" != 0 ]; then
    say X "$1" list '' "$err"
    return 1
  fi

  next=$((next + 1)) count=1 names=
  # The tree of a repository whose git directory is its own folder is no working tree.
  tree=$top
  [ "$common" = "$top" ] && tree=
  say B "$1" "$next" "$top" "$common" "$tree"
  queue "$next" "$common"
  queue_place "$next" "$top"
  repos=$((repos + 1))
  eval "R$repos=\$1 C$repos=\$common V$repos=\$top"
  ids=$next
  [ -z "$tree" ] || job "$next" "$tree" "$common"

  set +f
  for admin in "$common"/worktrees/* "$common"/worktrees/.[!.]*; do
    [ -d "$admin" ] || continue
    entry "$1"
  done
  set -f
  eval "N$repos=\$names Q$repos=\$ids"
}

# One administrative directory: what it points to, and whether that is there and points back.
entry() {
  next=$((next + 1)) count=$((count + 1))
  name=${admin##*/}
  raw= there= state=unread why= lock=n reason=
  if slurp "$admin/gitdir"; then raw=$text; else why='its gitdir file cannot be read'; fi
  if [ -e "$admin/locked" ] || [ -L "$admin/locked" ]; then
    lock=y
    slurp "$admin/locked" && reason=$text
  fi
  full=$raw
  case $raw in
  '') ;;
  /*) state=look ;;
  *) state=look full=$admin/$raw ;;
  esac
  [ -n "$raw" ] || [ -n "$why" ] || why='its gitdir file is empty'
  where=${full%/.git}
  if [ "$state" = look ]; then
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
      [ -n "$there" ] && where=$there
      ;;
    esac
  fi
  say W "$1" "$next" "$name" "$raw" "$where" "$there" "$state" "$why" "$lock" "$reason"
  queue "$next" "$admin"
  if [ "$state" = there ]; then
    queue_place "$next" "$there"
    job "$next" "$there" "$admin"
    case $name in
    *"$nl"*) ;;
    *)
      names=$names$name$nl
      ids="$ids $next"
      ;;
    esac
  fi
}

job() {
  jobs=$((jobs + 1))
  eval "J$jobs=\$1 P$jobs=\$2 D$jobs=\$3 T$jobs=\$repos"
}

# What one call each tells about a whole repository.
repository_facts() {
  eval "at=\$R$1 common=\$C$1 top=\$V$1 names=\$N$1 ids=\$Q$1"
  ceiling=${top%/*}
  # Keys may hold blanks and values newlines: -z keeps them apart, and tr makes each entry a line.
  settings=$(g -C "$top" config -z --get-regexp \
    '^(filter\..*|remote\..*\.(url|pushurl)|branch\..*\.remote|include(if\..*)?\.path)$' 2>/dev/null |
    tr '\n\000' '\001\n' 3<&- 4>&-)
  filters= remotes= locals=$nl conditional=
  IFS=$nl
  for line in $settings; do
    key=${line%%"$soh"*}
    case $key in
    filter.*.*)
      key=${key#filter.}
      key=${key%.*}
      case $nl$filters in
      *"$nl$key$nl"*) ;;
      *) filters=$filters$key$nl ;;
      esac
      ;;
    remote.*) remotes=1 ;;
    includeif.*) conditional=1 ;;
    branch.*)
      if [ "${line#*"$soh"}" = . ]; then
        key=${key#branch.}
        locals=$locals${key%.remote}$nl
      fi
      ;;
    esac
  done
  IFS=$blank
  eval "F$1=\$filters H$1=\$remotes L$1=\$locals I$1=\$conditional"

  stashes=0
  if [ -d "$common/reftable" ]; then
    stashes=$(g -C "$top" rev-list -g --count refs/stash 2>/dev/null) || stashes=0
  elif [ -f "$common/logs/refs/stash" ]; then
    stashes=u
    if [ -r "$common/logs/refs/stash" ]; then
      stashes=0
      while IFS= read -r line; do stashes=$((stashes + 1)); done <"$common/logs/refs/stash"
    fi
  fi
  say T "$at" "${remotes:-0}" "$stashes"

  say U "$at"
  err=$(g -C "$top" for-each-ref --format='%(refname) %(upstream)' refs/heads refs/stash 2>&1 >&4)
  code=$?
  say '' "$close" "$code" "$err"

  say C "$at" "$ids"
  err=$({
    echo main-worktree/HEAD
    IFS=$nl
    for name in $names; do printf '%s\n' "worktrees/$name/HEAD"; done
  } | g -C "$top" cat-file --batch 2>&1 >&4)
  code=$?
  say '' "$close" "$code" "$err"
}

operation() {
  op=
  if [ -d "$1/rebase-merge" ]; then
    op=rebase
  elif [ -d "$1/rebase-apply" ]; then
    op=rebase
    [ -f "$1/rebase-apply/applying" ] && op=am
  elif [ -f "$1/MERGE_HEAD" ]; then
    op=merge
  elif [ -f "$1/CHERRY_PICK_HEAD" ]; then
    op=cherry-pick
  elif [ -f "$1/REVERT_HEAD" ]; then
    op=revert
  elif [ -f "$1/sequencer/todo" ]; then
    op=cherry-pick
    slurp "$1/sequencer/todo"
    case $text in
    revert*) op=revert ;;
    esac
  elif [ -f "$1/BISECT_LOG" ]; then
    op=bisect
  fi
}

# Whether the git directory $1 configures nothing that git would run. What it includes is not read.
harmless() {
  [ ! -e "$1/commondir" ] || return 1
  for file in "$1/config" "$1/config.worktree"; do
    [ "$file" = "$1/config" ] || [ -e "$file" ] || continue
    slurp "$file" && [ "$lines" -lt 64 ] || return 1
    case $text in
    *[Ff][Ii][Ll][Tt][Ee][Rr]* | *[Ii][Nn][Cc][Ll][Uu][Dd][Ee]*) return 1 ;;
    esac
  done
}

# `git status` starts itself in every submodule, and in those inside, where it would run the filters that they
# configure: $submodules is `none` only if each of them is harmless. Where nothing speaks of submodules git looks
# into none, for a repository that is only nested is not part of a working tree.
submodules_of() {
  submodules=dirty
  if [ ! -d "$1/modules" ] && [ ! -e "$path/.gitmodules" ]; then return 0; fi
  todo=.$nl some=0
  while [ -n "$todo" ]; do
    within=${todo%%"$nl"*}
    todo=${todo#*"$nl"}
    links=$( { (g -c core.quotePath=false -C "$path/$within" ls-files -s 2>/dev/null); echo "code $?"; } |
      sed -n -e 's/^160000 [^ ]* [0-3]'"$tab"'//p' -e '/^code /p' 3<&- 4>&-)
    case $links in
    *'code 0') links=${links%'code 0'} ;;
    *) doubt='its submodules cannot be listed'; return 0 ;;
    esac
    IFS=$nl
    for link in $links; do
      case $link in
      '"'*) doubt='a submodule has a name that cannot be checked'; IFS=$blank; return 0 ;;
      esac
      inner=$path/$within/$link
      if [ -d "$inner/.git" ]; then
        own=$inner/.git
      elif slurp "$inner/.git"; then
        own=${text#'gitdir: '}
        case $own in
        /*) ;;
        *) own=$inner/$own ;;
        esac
      elif [ -e "$inner/.git" ]; then
        own=
      else
        continue
      fi
      some=$((some + 1))
      if [ "$some" -gt 200 ] || ! harmless "$own"; then
        doubt='a submodule may configure a content filter'
        IFS=$blank
        return 0
      fi
      todo=$todo$within/$link$nl
    done
    IFS=$blank
  done
  submodules=none
}

# What one status, and a second call where needed, tell about a working tree.
fact() {
  eval "id=\$J$1 path=\$P$1 dir=\$D$1 repo=\$T$1"
  eval "filters=\$F$repo remotes=\$H$repo locals=\$L$repo conditional=\$I$repo"
  ceiling=${path%/*}
  staged=0 unstaged=0 untracked=0 conflicted=0
  head= upstream= ahead= behind= unpushed= doubt= modified=
  if [ -n "$conditional" ] || [ -f "$dir/config.worktree" ]; then
    more=$(g -C "$path" config -z --get-regexp '^filter\..*$' 2>/dev/null |
      tr '\n\000' '\001\n' 3<&- 4>&-)
    IFS=$nl
    for line in $more; do
      line=${line%%"$soh"*}
      line=${line#filter.}
      filters=$filters${line%.*}$nl
    done
  fi
  IFS=$nl
  set --
  for name in $filters; do
    case $name in
    *=*) doubt='a content filter has a name that cannot be overridden' ;;
    *)
      set -- "$@" -c "filter.$name.clean=" -c "filter.$name.smudge=" -c "filter.$name.process=" \
        -c "filter.$name.required=false"
      ;;
    esac
  done
  IFS=$blank
  [ -n "$doubt" ] || submodules_of "$dir"
  operation "$dir"
  case $doubt in
  *overridden)
    say F "$id" 1 0 0 0 0 '' '' '' '' '' '' "$op" "$doubt"
    return 0
    ;;
  esac
  out=$(g "$@" -C "$path" status --porcelain=v2 --branch --ahead-behind --untracked-files=normal \
    --ignore-submodules="$submodules" 2>&1)
  code=$?
  if [ "$code" != 0 ]; then
    why=${out%%"$nl"*}
    case $out in
    *fatal:*) why=${out#*fatal: } ;;
    esac
    say F "$id" "$code" 0 0 0 0 '' '' '' '' '' '' "$op" "$(printf '%.180s' "${why%%"$nl"*}")"
    return 0
  fi
  IFS=$nl
  for line in $out; do
    case $line in
    '? '*) untracked=$((untracked + 1)) ;;
    '1 '* | '2 '*)
      case $line in
      ?' .'*) ;;
      *) staged=$((staged + 1)) ;;
      esac
      case $line in
      ?' '?.*) ;;
      *)
        unstaged=$((unstaged + 1))
        if [ -n "$filters" ] && [ "$unstaged" -le 1000 ]; then
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
    'u '*) conflicted=$((conflicted + 1)) ;;
    '# branch.oid (initial)') head=unborn ;;
    '# branch.head (detached)') head=detached ;;
    '# branch.head '*) branch=${line#'# branch.head '} ;;
    '# branch.upstream '*) upstream=${line#'# branch.upstream '} ;;
    '# branch.ab '*)
      ahead=${line#*+}
      behind=${ahead#* -}
      ahead=${ahead%% *}
      ;;
    'warning: could not open directory'*) doubt='a folder in it cannot be read' ;;
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
  if [ -n "$remotes" ] && [ "$head" != unborn ]; then
    unpushed=0
    case $locals in
    *"$nl$branch$nl"*) unpushed= ;;
    esac
    [ "$head" = detached ] && unpushed=
    [ "$ahead" = 0 ] || unpushed=
    if [ -z "$unpushed" ]; then
      unpushed=$(g -C "$path" rev-list --count HEAD --not --remotes 2>/dev/null) || unpushed=u
    fi
  fi
  say F "$id" 0 "$staged" "$unstaged" "$untracked" "$conflicted" "$head" \
    "$(printf '%.180s' "$upstream")" "$ahead" "$behind" "$unpushed" '' "$op" "$doubt"
}

cores() {
  n=$(getconf _NPROCESSORS_ONLN 2>/dev/null 3<&- 4>&-) || n=2
  case $n in
  '' | *[!0-9]* | 0) n=2 ;;
  esac
  [ "$n" -le 8 ] || n=8
}

# Each loop takes every n-th working tree. A late answer closes without the facts that are not there yet.
facts() {
  repo=1
  while [ "$repo" -le "$repos" ]; do
    repository_facts "$repo"
    repo=$((repo + 1))
  done
  cores
  [ "$n" -le "$jobs" ] || n=$jobs
  workers= k=1
  while [ "$k" -le "$n" ]; do
    (
      at=$k
      while [ "$at" -le "$jobs" ]; do
        branch=
        fact "$at"
        at=$((at + n))
      done
    ) 3<&- &
    workers="$workers $!"
    k=$((k + 1))
  done
  for worker in $workers; do
    wait "$worker" 2>/dev/null
    [ -z "$late" ] || break
  done
}

# Answers what a path is that a person wants to register.
inspect() {
  path=$1
  case $path in
  '~') path=$HOME ;;
  '~/'*) path=$HOME/${path#'~/'} ;;
  esac
  case $path in
  /*) ;;
  *) say X 0 relative '' ''; return 1 ;;
  esac
  enter 0 "$path" || return 1
  mount_of "$top"
  ceiling=
  here=$top
  if [ -z "$git" ]; then
    if [ -e "$top/.git" ]; then say X 0 nogit '' ''; return 1; fi
    say I directory "$top" "$mount" ''
    return 0
  fi
  err=$(g -C "$here" rev-parse --git-dir 2>&1 >/dev/null) || {
    case $err in
    *'not a git repository'*)
      if [ -e "$here/.git" ]; then
        find_common
        say X 0 "${fault:-list}" '' "$err"
        return 1
      fi
      say I directory "$here" "$mount" ''
      return 0
      ;;
    esac
    say X 0 list '' "$err"
    return 1
  }
  own=$( (g -C "$here" rev-parse --git-dir 2>/dev/null); echo x)
  own=${own%"$nl"x}
  shared=$( (g -C "$here" rev-parse --git-common-dir 2>/dev/null); echo x)
  shared=${shared%"$nl"x}
  bare=$(g -C "$here" rev-parse --is-bare-repository 2>/dev/null)
  work=$( (g -C "$here" rev-parse --show-toplevel 2>/dev/null); echo x)
  work=${work%"$nl"x}
  [ "$work" = x ] && work=
  cd -P "$here" && cd -P "$own" 2>/dev/null && own=$PWD
  cd -P "$here" && cd -P "$shared" 2>/dev/null && shared=$PWD
  if [ -n "$work" ] && [ "$work" != "$here" ] && [ "$here" != "$own" ]; then
    say I directory "$here" "$mount" "$work"
    return 0
  fi
  case $shared in
  */.git) main=${shared%/.git} ;;
  *)
    main=
    if [ "$own" = "$shared" ] && [ -n "$work" ]; then main=$work; fi
    if [ -z "$main" ] && [ "$(g -C "$shared" config core.bare 2>/dev/null)" = true ]; then
      main=$shared
    fi
    if [ -z "$main" ]; then
      main=$( (g -C "$shared" config core.worktree 2>/dev/null); echo x)
      main=${main%"$nl"x}
      if [ "$main" = x ] || ! { cd -P "$shared" && cd -P "$main" 2>/dev/null; }; then
        say X 0 nomain '' "$shared"
        return 1
      fi
      main=$PWD
    fi
    ;;
  esac
  if [ "$bare" = true ] && [ "$own" != "$here" ] && [ -z "$work" ] && [ ! -e "$here/.git" ]; then
    # A folder inside a bare repository is a folder.
    say I directory "$here" "$mount" ''
    return 0
  fi
  [ -d "$main" ] || { say X 0 nomain '' "$shared"; return 1; }
  mount_of "$main"
  say I repository "$main" "$mount" ''
}

roll() {
  tier=$1 roots=$2
  shift 2
  at_root=0
  while [ "$at_root" -lt "$roots" ]; do
    kind=$1 path=$2 known=$3
    shift 3
    say R "$at_root" "$close"
    count=0
    case $kind in
    directory) directory "$at_root" "$path" ;;
    *) repository "$at_root" "$path" ;;
    esac && {
      while [ "$known" -gt 0 ]; do
        look "$1"
        case $seen in
        yes) say K "$at_root" e "$1" '' ;;
        no)
          mount_of "$anchor"
          say K "$at_root" n "$1" "$mount"
          ;;
        *) say K "$at_root" u "$1" "$why" ;;
        esac
        shift
        known=$((known - 1))
      done
      say E "$at_root" "$count" "$close"
    }
    [ "$known" -eq 0 ] || shift "$known"
    at_root=$((at_root + 1))
  done
  flush
  [ "$tier" = existence ] || facts
}

main() {
  [ "$#" -ge 5 ] || exit 64
  eval "last=\${$#}"
  [ "$last" = "$1" ] || exit 64
  LC_ALL=C TZ=UTC0
  export LC_ALL TZ
  nl='
' tab='	' blank=' 	
'
  IFS=$blank
  set -f
  unalias -a 2>/dev/null
  unset -f git ls stat df env sed tr sleep renice getconf uname 2>/dev/null
  unset CDPATH
  PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin:/opt/local/bin:/usr/local/git/bin
  PATH=$PATH:$HOME/.local/bin:$HOME/bin:/run/current-system/sw/bin:$HOME/.nix-profile/bin
  PATH=$PATH:/home/linuxbrew/.linuxbrew/bin:/usr/pkg/bin:/snap/bin
  export PATH
  for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
  GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_ALLOW_PROTOCOL= GIT_NO_LAZY_FETCH=1
  export GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_ALLOW_PROTOCOL GIT_NO_LAZY_FETCH
  # A person may have git note every call in a file.
  GIT_TRACE2=0 GIT_TRACE2_EVENT=0 GIT_TRACE2_PERF=0
  export GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF
  soh=$(printf '\001')
  close=$2$1
  ceiling=

  exec 3<&0 4>&1 </dev/null
  # The lease: standard input is open as long as somebody wants the answer.
  (
    while IFS= read -r _; do :; done
    trap '' TERM
    kill -TERM 0
    sleep 1
    kill -KILL 0
  ) <&3 >/dev/null 2>&1 4>&- 3<&- &
  lease=$!
  late=
  trap 'late=1' USR1
  (
    trap 'kill "$nap" 2>/dev/null; exit 0' TERM
    trap '' USR1
    left=$4
    while :; do
      sleep 5 >/dev/null 2>&1 &
      nap=$!
      wait "$nap"
      # Loops may outlive a script that was killed.
      kill -0 "$$" 2>/dev/null || { trap '' TERM; kill -TERM 0; exit 0; }
      printf '\000' >&2
      left=$((left - 5))
      if [ "$left" -le 0 ] && [ "$left" -gt -5 ]; then kill -USR1 "$$"; fi
    done
  ) >/dev/null 3<&- 4>&- &
  beat=$!
  renice -n 10 -p "$$" >/dev/null 2>&1 3<&- 4>&-

  queued=0 queue_args= queue_ids= placed=0 place_args= place_ids= flavour= mount_for= mount=
  next=0 repos=0 jobs=0 lines_only=
  printf '%s\000' "$1$2" >&4
  system=$(uname -s 2>/dev/null 3<&- 4>&-)
  git=$(g --version 2>/dev/null) || git=
  # What the system calls its machine: systemd and elogind, then what BSD and macOS keep.
  slurp /etc/machine-id || text=
  machine=$text
  case $machine:$system in
  :Darwin) machine=$(sysctl -n kern.uuid 2>/dev/null 3<&- 4>&-) || machine= ;;
  :*BSD) machine=$(sysctl -n kern.hostuuid 2>/dev/null 3<&- 4>&-) || machine= ;;
  esac
  say S "$system" "$git" "$machine"
  mode=$3
  shift 4
  case $mode in
  inspect) inspect "$1" ;;
  *) roll "$@" ;;
  esac
  say Z "$close"
  if [ -n "$late" ]; then
    # Something hangs: the end of the lease ends all of it.
    wait "$lease"
  fi
  kill "$beat" "$lease" 2>/dev/null
  exit 0
}
