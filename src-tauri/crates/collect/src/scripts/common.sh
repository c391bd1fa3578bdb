# What every question to a host has in common. The collector is this file, the one of the question, and `main.sh`:
# a POSIX shell and git are all it needs. Functions only, called by the last line, so that a script cut in transit
# runs nothing. It writes nothing on the host, not even a here-document.
#
# Answer, on file descriptor 4: A B joined, then records whose fields end in NUL, then Z. `B A` joined closes
# roots, raw blocks and the answer; it stands nowhere in these scripts, so an echo of it closes nothing.
# Records of parallel loops are one short printf each and cannot mix. Heartbeats and progress go to standard error,
# because a raw block may be on its way on the other stream.

g() {
  GIT_CEILING_DIRECTORIES=$ceiling
  export GIT_CEILING_DIRECTORIES
  exec git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=true "$@" 3<&- 4>&- 5<&-
}

# git in a shell that has to go on.
g_or_not() { (g "$@"); }

say() { printf '%s\000' "$@" >&4; }

# Says how far something is: two numbers whose meaning the question knows.
progress() { printf '\001%s %s\000' "$1" "$2" >&2; }

# Says a text of any length, called $2 and about $1, in records short enough never to mix with those of others, with
# $stx for each line break: some shells write a record in as many pieces as it has lines. Then how it came about: the
# exit code, and the words of a failure.
tell() {
  about=$1 called=$2 told_code=$4 told_words=$5 part= told_size=${#3}
  IFS=$nl
  set -- $3
  if [ "$told_size" -gt 3000 ]; then
    for line in "$@"; do
      if [ "$((${#part} + ${#line}))" -gt 3000 ]; then
        say P "$about" "$called" "$part"
        part=
        [ "${#line}" -le 3000 ] || line=$(printf '%.3000s' "$line")
      fi
      part=$part$line$stx
    done
  else
    IFS=$stx
    part="$*"
  fi
  IFS=$blank
  say P "$about" "$called" "$part"
  say p "$about" "$called" "$told_code" "$told_words"
}

# Opens a raw block called $2 about $1; what is printed to file descriptor 4 is in it until `shut` says how it came about.
open() { say Q "$1" "$2"; }
shut() { say '' "$close" "$1" "$2"; }

# Makes one line of $1: $flat, with `$enq n` for each line break and `$enq e` for what announces it.
flatten() {
  flat=$1
  case $flat in
  *["$nl$enq"]*) ;;
  *) return 0 ;;
  esac
  rest=$flat flat=
  while [ -n "$rest" ]; do
    case $rest in
    *["$nl$enq"]*) ;;
    *)
      flat=$flat$rest
      return 0
      ;;
    esac
    front=${rest%%["$nl$enq"]*}
    flat=$flat$front$enq
    rest=${rest#"$front"}
    case $rest in
    "$nl"*) flat=${flat}n ;;
    *) flat=${flat}e ;;
    esac
    rest=${rest#?}
  done
}

# The first words of a failing git, without the rest of what it said.
words_of() {
  why=$1
  case $why in
  *fatal:*) why=${why#*fatal: } ;;
  *error:*) why=${why#*error: } ;;
  esac
  why=$(printf '%.180s' "${why%%"$nl"*}")
}

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

# Which words this host's `stat` has for that: $flavour.
find_flavour() {
  [ -z "$flavour" ] || return 0
  flavour=plain
  case $(stat -c '%i %w %m' / 2>/dev/null 3<&- 4>&- 5<&-) in
  [0-9]*' '[0-9-]*' /') flavour=gnu ;;
  *)
    case $(stat -f '%i %FB' / 2>/dev/null 3<&- 4>&- 5<&-) in
    [0-9]*' '[0-9]*) flavour=bsd ;;
    esac
    ;;
  esac
}

# Says what tells the directories that are its arguments from later ones at their paths, and on which disks they lie:
# for each of them, $asked has a line with a number and `g` for the first or `m` for the second. One stat for all of
# them, where it can tell both.
stamps() {
  find_flavour
  out=
  if [ "$flavour" = gnu ]; then
    out=$(stat -c '%i %w %m' "$@" 2>/dev/null 3<&- 4>&- 5<&-) || out=
    case $out in
    *' - '*) out= ;;
    esac
  fi
  if [ -n "$out" ]; then
    # Names stay out of its output, so the order is what counts.
    IFS=$nl
    set -- $asked
    part= some= lines=0
    for line in $out; do
      part=$part$line$stx some="$some $1" lines=$((lines + 1))
      shift || break
      [ "$lines" -lt 40 ] || {
        say g "$some" "$part"
        part= some= lines=0
      }
    done
    IFS=$blank
    say g "$some" "$part"
    return 0
  fi
  # One by one: a directory may have gone meanwhile, or the file system keeps no birth times. Then the inode and a
  # file that git writes once into a linked worktree's directory tell less, but something.
  IFS=$nl
  for line in $asked; do
    IFS=$blank
    case $line in
    *m)
      mount_of "$1"
      case $mount in
      *"$nl"*) ;;
      *) say G "$line" "0 0 $mount" ;;
      esac
      ;;
    *)
      stamp "$1"
      [ -z "$out" ] || say G "$line" "$out"
      ;;
    esac
    shift
  done
  IFS=$blank
}

# What tells the directory $1 from a later one at its path: $out, empty if nothing does.
stamp() {
  out=
  case $flavour in
  gnu) out=$(stat -c '%i %w' "$1" 2>/dev/null 3<&- 4>&- 5<&-) ;;
  bsd) out=$(stat -f '%i %FB' "$1" 2>/dev/null 3<&- 4>&- 5<&-) ;;
  esac
  case $out in
  '' | *' -') ;;
  *) return 0 ;;
  esac
  out=
  [ -f "$1/commondir" ] || return 0
  inode=$(ls -di "$1" 2>/dev/null 3<&- 4>&- 5<&-)
  once=$(stat -c %Y "$1/commondir" 2>/dev/null 3<&- 4>&- 5<&-) ||
    once=$(stat -f %m "$1/commondir" 2>/dev/null 3<&- 4>&- 5<&-) || once=
  while :; do
    case $inode in
    ' '*) inode=${inode# } ;;
    *) break ;;
    esac
  done
  out="${inode%%' '*} once $once"
}

# Disks that answer over something else, and may not: each is asked for its space, which no cache tells, in a process of
# its own. Those where that takes longer than two seconds are in $hung, one per line, and nothing below them is touched.
find_hung() {
  hung= places=
  if [ -r /proc/self/mountinfo ]; then
    while IFS=' ' read -r x x x x at more; do
      case ${more##* - } in
      fuse* | nfs* | cifs* | smb* | 9p* | afs* | ceph* | lustre* | gluster* | ncpfs*) places=$places$at$nl ;;
      esac
    done </proc/self/mountinfo
  elif [ "$system" != Linux ]; then
    # `source on /place (type, ...)`, or `source on /place type type (...)`.
    places=$(mount 2>/dev/null 3<&- 4>&- | sed -n \
      -e 's/^.* on \(\/.*\) (\(nfs\|smbfs\|cifs\|afpfs\|webdav\|macfuse\|osxfuse\|fusefs\).*$/\1/p' \
      -e 's/^.* on \(\/.*\) type \(nfs\|smbfs\|cifs\|fuse\).*$/\1/p' 3<&- 4>&-)
  fi
  [ -n "$places" ] || return 0
  IFS=$nl
  set --
  for at in $places; do
    # The list writes blanks and the like as octal digits after a backslash.
    case $at in
    *%*) ;;
    *\\*) at=$(printf "$at") ;;
    esac
    df -P "$at" </dev/null >/dev/null 2>&1 3<&- 4>&- &
    set -- "$@" "$!" "$at"
  done
  IFS=$blank
  (
    trap 'kill "$nap" 2>/dev/null; exit 0' TERM
    sleep 2 >/dev/null 2>&1 &
    nap=$!
    wait "$nap"
    kill -USR2 "$$"
  ) >/dev/null 2>&1 3<&- 4>&- &
  alarm=$! rung=
  while [ "$#" -gt 0 ]; do
    [ -n "$rung" ] || wait "$1" 2>/dev/null
    if [ -n "$rung" ] && kill -0 "$1" 2>/dev/null; then
      kill -KILL "$1" 2>/dev/null
      hung=$hung$2$nl
    fi
    shift 2
  done
  kill "$alarm" 2>/dev/null
}

# Whether a path lies on a disk that does not answer: $why says so.
is_hung() {
  [ -n "$hung" ] || return 1
  IFS=$nl
  for disk in $hung; do
    case $1/ in
    "${disk%/}"/*)
      why="the disk at $disk does not answer"
      IFS=$blank
      return 0
      ;;
    esac
  done
  IFS=$blank
  return 1
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

# Where git says that the git directory of $path is: $dir; or why it does not: $why.
git_dir_of_path() {
  dir=$( (g -C "$path" rev-parse --absolute-git-dir 2>&1); echo "x$?")
  case $dir in
  *x0) dir=${dir%"$nl"x0} ;;
  *)
    words_of "${dir%x*}"
    return 1
    ;;
  esac
}

# Goes to a root: $top is its canonical path. Says why not, if not.
enter() {
  if is_hung "$2"; then
    say X "$1" hung '' "$why"
    return 1
  fi
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
  cd -P "$2" 2>/dev/null || {
    why=$( (cd -P "$2") 2>&1 3<&- 4>&- 5<&-)
    # Not every shell says why it cannot go there.
    [ -x "$2" ] || why='Permission denied'
    say X "$1" denied '' "$why"
    return 1
  }
  top=$PWD
}

# Goes to a path as a person names it, with `~` for their home.
enter_named() {
  path=$1
  case $path in
  '~') path=$HOME ;;
  '~/'*) path=$HOME/${path#'~/'} ;;
  esac
  case $path in
  /*) enter 0 "$path" ;;
  *) say X 0 relative '' ''; return 1 ;;
  esac
}

# What a person is in the middle of in a working tree whose git directory is $1: $op, and where it came from and how
# far it is.
operation() {
  op= op_branch= op_step= op_of=
  if [ -d "$1/rebase-merge" ]; then
    op=rebase
    slurp "$1/rebase-merge/head-name" && op_branch=$text
    slurp "$1/rebase-merge/msgnum" && op_step=$text
    slurp "$1/rebase-merge/end" && op_of=$text
  elif [ -d "$1/rebase-apply" ]; then
    op=rebase
    [ -f "$1/rebase-apply/applying" ] && op=am
    slurp "$1/rebase-apply/head-name" && op_branch=$text
    slurp "$1/rebase-apply/next" && op_step=$text
    slurp "$1/rebase-apply/last" && op_of=$text
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
    # It names the branch without `refs/heads/`, or a commit.
    if slurp "$1/BISECT_START"; then
      case ${#text}:$text in
      [4-9][0-9]:*[!0-9a-f]* | [0-9]:* | [1-3][0-9]:* | ???:*) op_branch=refs/heads/$text ;;
      esac
    fi
  fi
  case $op_branch in
  *"$nl"*) op_branch= ;;
  refs/heads/*) ;;
  *) op_branch= ;;
  esac
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

# Where submodules belong in the working tree $1, one per line.
gitlinks() {
  g_or_not -c core.quotePath=false -C "$1" ls-files -s 2>/dev/null | sed -n 's/^160000 [^ ]* [0-3]'"$tab"'//p' 3<&- 4>&-
}

# The names of content filters that a working tree configures, added to $filters, one per line.
more_filters() {
  more=$(g -C "$path" config -z --get-regexp '^filter\..*$' 2>/dev/null |
    tr '\n\000' '\001\n' 3<&- 4>&-)
  IFS=$nl
  for line in $more; do
    line=${line%%"$soh"*}
    line=${line#filter.}
    filters=$filters${line%.*}$nl
  done
  IFS=$blank
}

# Whether the content filters in $filters can be kept from running: git has no word for one with `=` in its name.
filters_can_be_overridden() {
  case $filters in
  *=*)
    doubt='a content filter has a name that cannot be overridden'
    return 1
    ;;
  esac
}

# Runs git as the arguments say, and none of the content filters in $filters.
unfiltered() {
  IFS=$nl
  for name in $filters; do
    set -- -c "filter.$name.clean=" -c "filter.$name.smudge=" -c "filter.$name.process=" \
      -c "filter.$name.required=false" "$@"
  done
  IFS=$blank
  g "$@"
}

# Which branches of the repository $common may be what others are merged into, the likeliest first: $bases. What a
# remote calls its HEAD is a file, however references are kept otherwise.
bases_of() {
  bases=
  if [ -d "$common/reftable" ]; then
    bases='refs/remotes/origin/HEAD refs/heads/main refs/heads/master'
    return 0
  fi
  set +f
  for line in "$common"/refs/remotes/origin/HEAD "$common"/refs/remotes/*/HEAD; do
    [ -f "$line" ] || continue
    bases=${line#"$common"/}
    break
  done
  set -f
  case $bases in
  *' '*) bases= ;;
  esac
  for line in refs/heads/main refs/heads/master; do
    if [ -f "$common/$line" ] || [ -f "$common/packed-refs" ]; then bases="$bases $line"; fi
  done
}

# How many programs may run at once: $n.
cores() {
  n=$(getconf _NPROCESSORS_ONLN 2>/dev/null 3<&- 4>&-) || n=2
  case $n in
  '' | *[!0-9]* | 0) n=2 ;;
  esac
  [ "$n" -le 8 ] || n=8
}
