# Looks at single workspaces in depth: what only a walk, or several calls, tell. Arguments: how many, and for each whether
# it is a repository, a worktree or a directory, its path, the branch that others are merged into, if that is chosen, and
# the commits of that and of HEAD when they were compared last.
# It works in one process, one workspace after another; what it finds is told in raw blocks where names may be any bytes.

deep() {
  number=0 wanted=$1
  shift
  while [ "$number" -lt "$wanted" ]; do
    kind=$1 path=$2 chosen=$3 compared=$4
    shift 4
    number=$((number + 1))
    one_deep
    say V "$number" "$close"
  done
}

one_deep() {
  filters= doubt=
  is_hung "$path" && {
    say N "$number" unseen "$why"
    return 0
  }
  look "$path"
  case $seen in
  no)
    say N "$number" gone ''
    return 0
    ;;
  unknown)
    say N "$number" unseen "$why"
    return 0
    ;;
  esac
  cd -P "$path" 2>/dev/null || {
    say N "$number" unseen 'Permission denied'
    return 0
  }
  path=$PWD ceiling=${path%/*}
  cd /
  dir= common= bare=
  if [ "$kind" != directory ]; then
    git_dir_of_path || {
      say N "$number" unseen "$why"
      return 0
    }
    common=$( (g -C "$path" rev-parse --git-common-dir 2>/dev/null); echo x)
    common=${common%"$nl"x}
    case $common in
    /*) ;;
    *) common=$path/$common ;;
    esac
    cd -P "$common" && common=$PWD
    cd -P "$dir" && dir=$PWD
    cd /
    bare=$(g -C "$path" rev-parse --is-bare-repository 2>/dev/null)
    more_filters
  fi
  say C "$number" "$(date +%s 2>/dev/null 3<&- 4>&-)"
  asked=${number}g$nl
  case $kind in
  directory) stamps "$path" ;;
  *) stamps "$dir" ;;
  esac
  in_use
  nested
  if [ "$kind" = directory ]; then
    digest
    return 0
  fi
  merged
  only_here
  if [ "$kind" = repository ]; then all_branches; fi
  if [ "$bare" = true ]; then
    digest
    return 0
  fi
  hidden
  precious
  if submodule_work; then
    tell "$number" submodules "$work" 0 ''
    digest
  else
    tell "$number" submodules '' 1 "$doubt"
    tell "$number" digest '' 1 "$doubt"
  fi
}

# Whether a process is one of a collector that looks around, whoever asked it: its shell has read a script as this one was
# read, and what that starts has a variable that nothing else has.
is_ours() {
  case $(tr '\000' '\n' <"/proc/$1/cmdline" 2>/dev/null 3<&- 4>&-) in
  *'read -r n; s=$(head -c "$n"); eval "$s"'*) return 0 ;;
  esac
  case $nl$(tr '\000' '\n' <"/proc/$1/environ" 2>/dev/null 3<&- 4>&-) in
  *"$nl"ROLLCALL_COLLECTOR=*) return 0 ;;
  esac
  return 1
}

# Who works inside, as far as the system shows it.
in_use() {
  open "$number" use
  if [ -r /proc/self/stat ]; then
    set +f
    for proc in /proc/[0-9]*; do
      set -f
      # This very shell goes there to see.
      [ "${proc#/proc/}" != "$$" ] || continue
      if [ -n "${ZSH_VERSION-}${KSH_VERSION-}" ]; then
        # These take such a link for a folder, or end when they cannot find out where it led.
        there=$( (cd -P "$proc/cwd" && pwd -P) 2>/dev/null; echo x)
        there=${there%"$nl"x}
      else
        cd -P "$proc/cwd" 2>/dev/null || continue
        there=$PWD
      fi
      case $there/ in
      "$path"/*)
        is_ours "${proc#/proc/}" && continue
        slurp "$proc/comm" || text=
        printf '%s %s\000' "${proc#/proc/}" "$text" >&4
        ;;
      esac
    done
    set -f
    cd /
    shut 0 ''
  elif command -v lsof >/dev/null 2>&1; then
    # p is followed by a process, c by its name, n by where it is.
    lsof -w -a -d cwd -Fpcn 2>/dev/null 3<&- 4>&- | {
      while IFS= read -r line; do
        case $line in
        p*) pid=${line#p} name= ;;
        c*) name=${line#c} ;;
        n*)
          case ${line#n}/ in
          "$path"/*) [ "$pid" = "$$" ] || printf '%s %s\000' "$pid" "$name" >&4 ;;
          esac
          ;;
        esac
      done
    }
    shut 0 ''
  else
    shut 1 'this host has no way to tell'
  fi
}

# Every git directory below, and what a bare repository consists of: who reads puts that together.
nested() {
  links=
  if [ "$kind" != directory ] && [ "$bare" != true ]; then
    out=$(g -C "$path" ls-files -s 2>/dev/null | sed -n 's/^160000 [^'"$tab"']*'"$tab"'//p' 3<&- 4>&-)
    tell "$number" links "$out" 0 ''
  fi
  open "$number" nested
  err=$(find "$path" -xdev \( -name .git -prune -o -name HEAD -type f -o -name objects -type d -o -name refs -type d \) \
    -print0 2>&1 >&4 3<&-)
  code=$?
  shut "$code" "$(printf '%.180s' "${err%%"$nl"*}")"
}

# Whether HEAD is merged into the base, and how that can be seen. Nothing is merged for it: that would write objects.
merged() {
  head=$(g -C "$path" rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null) || head=
  on=$(g -C "$path" symbolic-ref -q HEAD 2>/dev/null) || on=
  base= tip=
  if [ -n "$chosen" ]; then bases=$chosen; else bases_of; fi
  for line in $bases; do
    tip=$(g -C "$path" rev-parse -q --verify "$line^{commit}" 2>/dev/null) || continue
    base=$(g -C "$path" rev-parse --symbolic-full-name "$line" 2>/dev/null) || base=
    [ -n "$base" ] || base=$line
    break
  done
  state= why=
  if [ -z "$head" ]; then
    state=unborn
  elif [ -z "$base" ]; then
    state=unknown why='there is no branch that others are merged into'
  elif [ "$on" = "$base" ]; then
    state=base
  elif [ "$compared" = "$tip $head" ]; then
    state=same
  else
    compare
  fi
  say M "$number" "$state" "$base" "$tip" "$head" "$why"
}

compare() {
  start=$(g -C "$path" merge-base "$tip" "$head" 2>/dev/null) || start=
  if [ -z "$start" ]; then
    state=no why='it has no commit in common with its base'
    return 0
  fi
  if [ "$start" = "$head" ]; then
    state=merged
    # A branch that never moved since it was made has nothing to merge.
    case $on in
    refs/heads/*)
      first=$(g -C "$path" rev-list -g "$on" -- 2>/dev/null | sed -n '$p' 3<&- 4>&-)
      [ "$first" != "$head" ] || state=new
      [ -n "$first" ] || [ "$tip" != "$head" ] || state=new
      ;;
    *) [ "$tip" != "$head" ] || state=new ;;
    esac
    return 0
  fi
  if g_or_not -C "$path" config --get-regexp '^merge\..*\.driver$' >/dev/null 2>&1; then
    state=unknown why='the repository names programs that merge, which are not run'
    return 0
  fi
  left=$(g -C "$path" rev-list --count --no-merges --cherry-pick --right-only "$tip...$head" 2>/dev/null) || left=
  adds=$(g -C "$path" merge-tree "$start" "$tip" "$head" 2>/dev/null | {
    both= adds=
    while IFS= read -r line; do
      case $line in
      'changed in both' | 'added in both') both=1 ;;
      '@@ '*) adds=1 ;;
      ' '* | '+'* | '-'* | '\'*) ;;
      *) adds=1 ;;
      esac
    done
    echo "${adds:-0}"
  })
  if [ "$adds" = 0 ]; then
    state=content
    if [ "$left" = 0 ]; then
      state=rebased
    else
      whole=$(g -C "$path" diff-tree -p --no-ext-diff --no-textconv --no-renames "$start" "$head" 2>/dev/null |
        g -C "$path" patch-id --stable 2>/dev/null)
      whole=${whole%% *}
      if [ -n "$whole" ]; then
        out=$(g -C "$path" rev-list --no-merges --max-count=2000 "$start..$tip" 2>/dev/null |
          g -C "$path" diff-tree --stdin -p --no-ext-diff --no-textconv --no-renames 2>/dev/null |
          g -C "$path" patch-id --stable 2>/dev/null)
        case $nl$out in
        *"$nl$whole "*) state=squashed ;;
        esac
      fi
    fi
  elif [ "$left" = 0 ]; then
    state=no why='its changes were merged once, and are not all there now'
  else
    state=no
  fi
}

# Where commits begin that nothing but this working tree holds, maybe: its reflog, and references that are its own.
own_tips() {
  g_or_not --git-dir="$dir" rev-list -g --max-count=5000 HEAD -- 2>/dev/null
  g_or_not --git-dir="$dir" for-each-ref --format='%(objectname)' refs/worktree refs/bisect refs/rewritten 2>/dev/null
  if slurp "$dir/ORIG_HEAD"; then printf '%s\n' "$text"; fi
}

# Those commits: $out, with $code and $why. At most $1 of them.
held_only_here() {
  # Before there is a first commit, HEAD is nothing to begin at.
  if (g --git-dir="$dir" rev-parse -q --verify HEAD >/dev/null 2>&1); then tip=HEAD; else tip=--branches; fi
  out=$(own_tips | g --git-dir="$dir" rev-list --ignore-missing --max-count="$1" --stdin --not "$tip" --branches --tags --remotes 2>&1)
  code=$? why=
  [ "$code" = 0 ] || words_of "$out"
}

only_here() {
  held_only_here 1001
  tell "$number" only "$out" "$code" "$why"
}

# What a repository holds as a whole that no remote has: every branch, tag and stash, with all commits they reach.
all_branches() {
  out=$(g -C "$path" for-each-ref --format='%(refname) %(objectname) %(*objectname)' refs/heads refs/tags refs/stash 2>&1)
  code=$? why=
  [ "$code" = 0 ] || words_of "$out"
  tell "$number" refs "$out" "$code" "$why"
  stashed=$(g -C "$path" rev-list -g refs/stash -- 2>/dev/null)
  out=$(printf '%s\n' "$stashed" | sed '/^$/d' 3<&- 4>&- |
    g -C "$path" rev-list --ignore-missing --parents --max-count=5001 --branches --tags --stdin --not --remotes 2>&1)
  code=$? why=
  [ "$code" = 0 ] || words_of "$out"
  tell "$number" held "$out" "$code" "$why"
}

# Edits that `status` does not show: files that git was told not to look at, if they are there and differ.
hidden() {
  marked=$(g -C "$path" ls-files -v 2>/dev/null | sed -n 's/^[a-zS] //p' 3<&- 4>&-)
  found= count=0
  set --
  IFS=$nl
  for line in $marked; do
    case $line in
    '"'*)
      # Its name cannot be handed on as it is: better one too many.
      found=$found$line$nl
      continue
      ;;
    esac
    if [ -e "$path/$line" ] || [ -L "$path/$line" ]; then
      count=$((count + 1))
      if [ "$count" -gt 500 ]; then found=$found$line$nl; else set -- "$@" "$line"; fi
    fi
  done
  IFS=$blank
  if [ "$#" -gt 0 ]; then
    was=$(g --literal-pathspecs -C "$path" ls-files -s -- "$@" 2>/dev/null | sed 's/^[0-9]* \([0-9a-f]*\) .*/\1/' 3<&- 4>&-)
    now=$(printf '%s\n' "$@" | g -C "$path" hash-object --no-filters --stdin-paths 2>/dev/null)
    for line in "$@"; do
      [ -n "$was" ] && [ "${was%%"$nl"*}" = "${now%%"$nl"*}" ] || found=$found$line$nl
      case $was in
      *"$nl"*) was=${was#*"$nl"} now=${now#*"$nl"} ;;
      *) was= now= ;;
      esac
    done
  fi
  tell "$number" hidden "$found" 0 ''
}

# Work in submodules, however deep, which `status` and the digest of their superproject do not tell: lines for people in
# $work, each with the commits that no remote has, what is edited or unknown to git, and the path; and one word for it.
submodule_work() {
  work= work_word= doubt=
  [ "$kind" != directory ] && [ "$bare" != true ] || return 0
  case $(g -C "$path" ls-files -s 2>/dev/null | sed -n '/^160000 /p' 3<&- 4>&-) in
  '') return 0 ;;
  esac
  submodules_of "$dir"
  [ "$submodules" = none ] || return 1
  todo=.$nl words=
  while [ -n "$todo" ]; do
    within=${todo%%"$nl"*}
    todo=${todo#*"$nl"}
    links=$(gitlinks "$path/$within")
    IFS=$nl
    for link in $links; do
      IFS=$blank
      inner=$path/$within/$link
      name=${within#.}/$link
      name=${name#/}
      if [ -e "$inner/.git" ]; then
        commits=$( (g -C "$inner" rev-list --count HEAD --branches --tags --not --remotes 2>/dev/null))
        edits=$( (g -C "$inner" status --porcelain --ignored --untracked-files=all --ignore-submodules=all 2>/dev/null) | wc -l)
        words=$words$name$nl$( {
          g_or_not -C "$inner" rev-parse HEAD 2>/dev/null
          g_or_not -C "$inner" for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/stash 2>/dev/null
          contents_of "$inner"
        } | g hash-object --stdin 2>/dev/null)$nl
        todo=$todo$within/$link$nl
      elif [ -d "$inner" ]; then
        # It should be empty.
        commits=0
        edits=$(find "$inner" -xdev ! -type d -print 2>/dev/null 3<&- 4>&- | wc -l)
        words=$words$name$nl$( (cd "$inner" && find . -xdev ! -type d -print0 2>/dev/null 3<&- 4>&- | lie) |
          g hash-object --stdin 2>/dev/null)$nl
      else
        continue
      fi
      edits=$((edits + 0))
      if [ "${commits:-0}" != 0 ] || [ "$edits" != 0 ]; then work="$work${commits:-0} $edits $name$nl"; fi
    done
    IFS=$blank
  done
  work_word=$(printf '%s' "$words" | g hash-object --stdin 2>/dev/null)
}

# Ignored files that nobody can make again, by their names. Folders that tools fill are passed over.
precious() {
  out=$(g -C "$path" ls-files --others --ignored --exclude-standard --directory 2>&1)
  code=$?
  if [ "$code" != 0 ]; then
    words_of "$out"
    tell "$number" precious '' "$code" "$why"
    return 0
  fi
  found=
  IFS=$nl
  for line in $out; do
    case $line in
    */ | */'"')
      name=${line%/*}
      case ${name##*/} in
      node_modules | target | .venv | venv | __pycache__ | dist | build | out | .next | .nuxt | .tox | .gradle | .cache | \
        .mypy_cache | .pytest_cache | .ruff_cache | .terraform | .parcel-cache | vendor | Pods | DerivedData | coverage | \
        .turbo | .svelte-kit | bower_components | .direnv | .bundle | .eggs | obj | .zig-cache | zig-out | _build | deps) ;;
      *)
        # git quotes odd bytes as octal digits.
        case $line in
        '"'*)
          line=$(printf '%b.' "$(printf '%s' "$line" | sed -e 's/^"//' -e 's/"$//' -e 's/\\\([0-7][0-7][0-7]\)/\\0\1/g' 3<&- 4>&-)")
          line=${line%.}
          ;;
        esac
        within=$(cd "$path" && find "./$line" -xdev \( -name node_modules -o -name .git -o -name target \) -prune -o \
            -type f \( -name '.env*' -o -name '*.sqlite*' -o -name '*.db' -o -name '*.pem' -o -name '*.key' \
            -o -name 'id_rsa*' -o -name 'id_ed25519*' -o -name '*.p12' -o -name '*.pfx' -o -name '*.jks' \
            -o -name '*.keystore' -o -name '*.kdbx' -o -name '*.tfstate*' -o -name '*.local.*' -o -name '*secret*' \
            -o -name '*credential*' \) -print 2>/dev/null 3<&- 4>&-)
        for name in $within; do found=$found${name#./}$nl; done
        ;;
      esac
      ;;
    *)
      name=${line##*/}
      case ${name%'"'} in
      .env* | *.sqlite* | *.db | *.pem | *.key | id_rsa* | id_ed25519* | *.p12 | *.pfx | *.jks | *.keystore | *.kdbx | \
        *.tfstate* | *.local.* | *.local | *[Ss]ecret* | *[Cc]redential*) found=$found$line$nl ;;
      esac
      ;;
    esac
  done
  IFS=$blank
  tell "$number" precious "$found" 0 ''
}

# How each of the files named on standard input, ended by NUL, lies on the disk: size, last change and inode.
lie() {
  case $flavour in
  bsd) xargs -0 stat -f '%z %Fc %i %N' 2>/dev/null 3<&- 4>&- ;;
  *) xargs -0 stat -c '%s %z %i %n' 2>/dev/null 3<&- 4>&- ;;
  esac
}

# What is staged in the working tree $1, what is in each edited file, and how the rest of it lies on the disk.
contents_of() {
  g_or_not -C "$1" ls-files -s 2>/dev/null
  edits_of "$1"
  others "$1" | (cd "$1" && lie)
}

# Files that git does not know, by the arguments, each ended by NUL; repositories among them count for themselves.
others() {
  unknown_in=$1
  shift
  g_or_not -C "$unknown_in" ls-files --others "$@" -z 2>/dev/null | tr '\000\n' '\n\001' 3<&- 4>&- |
    sed '/\/$/d' 3<&- 4>&- | tr '\n\001' '\000\n' 3<&- 4>&-
}

# Names, modes and, of what is in each edited file, the whole hash, whatever it is.
edits_of() {
  (unfiltered -C "$1" diff-files -p --full-index --no-ext-diff --no-textconv --no-color --no-renames \
    --ignore-submodules=dirty 2>/dev/null)
}

# Adds a part to $evidence: what is called $1, with one word for what comes on standard input.
part() {
  word=$(g hash-object --stdin 2>/dev/null)
  [ -n "$word" ] || return 1
  printf '%s=%s ' "$1" "$word"
}

# One word for each kind of thing that would go with what is at $path, once `submodule_work` has looked at its submodules:
# $evidence. Another word means that something else would. Where it cannot be told, $doubt says why.
evidence() {
  evidence= doubt=
  if [ "$kind" = directory ]; then
    evidence=$( (cd "$path" && find . -xdev -print0 2>/dev/null 3<&- 4>&- | lie) | part files)
    [ -n "$evidence" ] || doubt='there is no git to tell it'
    [ -z "$doubt" ]
    return
  fi
  filters_can_be_overridden || return 1
  if [ "$kind" = repository ]; then
    evidence=$( {
      g_or_not -C "$path" for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/stash 2>/dev/null
      g_or_not -C "$path" rev-list -g refs/stash -- 2>/dev/null
    } | part branches)
  fi
  [ "$bare" != true ] || return 0
  evidence=$evidence$(
    g_or_not -C "$path" ls-files -s 2>/dev/null | part staged
    edits_of "$path" | part edited
    {
      g_or_not -C "$path" ls-files -v 2>/dev/null | sed -n '/^[a-zS] /p' 3<&- 4>&-
      printf '%s\n' "$(hidden_contents)"
    } | part hidden
    others "$path" --exclude-standard | (cd "$path" && lie) | part untracked
    others "$path" --ignored --exclude-standard | (cd "$path" && lie) | part ignored
  )
  [ -z "$work_word" ] || evidence="${evidence}submodules=$work_word "
}

# What is in the files that git was told not to look at.
hidden_contents() {
  g_or_not -c core.quotePath=false -C "$path" ls-files -v 2>/dev/null | sed -n 's/^[a-zS] //p' 3<&- 4>&- | {
    while IFS= read -r line; do
      if [ -f "$path/$line" ] && [ ! -L "$path/$line" ]; then printf '%s\n' "$path/$line"; fi
    done
  } | g_or_not hash-object --no-filters --stdin-paths 2>/dev/null
}

# One word for everything that would go.
digest() {
  if evidence; then
    tell "$number" digest "$evidence" 0 ''
  else
    tell "$number" digest '' 1 "$doubt"
  fi
}
