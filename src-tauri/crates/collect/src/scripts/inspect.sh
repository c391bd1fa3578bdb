# Answers what a path is that a person wants to register.
inspect() {
  enter_named "$1" || return 1
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

