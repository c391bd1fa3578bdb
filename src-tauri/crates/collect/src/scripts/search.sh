# Looks for repositories below a folder, which is $1: at most $2 folders deep, and in hidden ones too if $3 is `y`. What
# it finds is told at once; it goes no further below it, over no link, and onto no other disk.

search() {
  enter_named "$1" || return 1
  deepest=$2 hidden=$3 looked=0 found=0
  disks=$nl
  if [ -r /proc/self/mountinfo ]; then
    while IFS=' ' read -r x x x x line x; do
      case $line in
      *%*) ;;
      *\\*) line=$(printf "$line") ;;
      esac
      disks=$disks$line$nl
    done </proc/self/mountinfo
  else
    disks=$nl$(mount 2>/dev/null 3<&- 4>&- | sed -n -e 's/^.* on \(\/.*\) (.*$/\1/p' -e 's/^.* on \(\/.*\) type .*$/\1/p' 3<&- 4>&-)$nl
  fi
  set +f
  walk "$top" 0
  set -f
  say Q "$looked" "$close"
}

# Says that the folder $1 is a repository, or a working tree of one, if it is: $is.
candidate() {
  is=
  if [ -d "$1/.git" ]; then
    is=repository
    # A folder of that name may be empty, or hold something else.
    [ -e "$1/.git/HEAD" ] || is=
  elif [ -f "$1/.git" ]; then
    is=linked
    if slurp "$1/.git"; then
      case $text in
      'gitdir: '*'/worktrees/'*) is=worktree ;;
      esac
    fi
  elif [ -f "$1/HEAD" ] && [ -d "$1/objects" ] && [ -d "$1/refs" ]; then
    is=bare
  fi
  [ -n "$is" ] || return 1
  found=$((found + 1))
  say C "$is" "$1"
}

walk() {
  looked=$((looked + 1))
  [ "$((looked % 100))" != 0 ] || progress "$looked" "$found"
  candidate "$1" && return 0
  [ "$2" -lt "$deepest" ] || return 0
  if [ ! -r "$1" ] || [ ! -x "$1" ]; then
    say U "$1"
    return 0
  fi
  for child in "${1%/}"/*/; do into "${child%/}" "$2"; done
  [ "$hidden" = y ] || return 0
  for child in "${1%/}"/.[!.]*/ "${1%/}"/..?*/; do into "${child%/}" "$2"; done
}

into() {
  case ${1##*/} in
  node_modules | target | .git) return 0 ;;
  esac
  [ -d "$1" ] || return 0
  if [ -L "$1" ]; then
    # A link may be to a repository; what lies elsewhere is not walked.
    there=$(cd -P "$1" 2>/dev/null && printf '%sx' "$PWD") || return 0
    is_hung "${there%x}" || candidate "${there%x}"
    return 0
  fi
  case $disks in
  *"$nl$1$nl"*) return 0 ;;
  esac
  walk "$1" "$(($2 + 1))"
}
