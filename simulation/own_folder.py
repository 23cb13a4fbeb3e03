"""A folder that nobody else can write into: machine code that lies there is executed.

What counts is the whole way from the root: whoever can write a folder on it can put another in
the place of the next. A folder with the sticky bit, as /tmp, is no way for others to what is ours.
"""

import grp
import os
import pwd
import stat
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH


def own_folder(base: Path, *names: str) -> Path:
    """Return a folder below `base`, made if need be; raise `OSError` where others can write."""
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(os.path.realpath(base))
    for place in (folder, *folder.parents):
        _look(place)
    for name in names:
        folder /= name
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode):
            raise _refusal(folder, "is not yours")
        if found.st_mode & OTHERS:
            raise _refusal(folder, "can be written by others")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refusal(folder, "cannot be written")
    return folder


def _look(folder: Path) -> None:
    found = folder.stat()
    if found.st_uid not in (0, os.geteuid()):
        raise _refusal(folder, "belongs to another user")
    open_to = found.st_mode & OTHERS
    if open_to == stat.S_IWGRP and _alone_in(found.st_gid):
        return
    if open_to and not found.st_mode & stat.S_ISVTX:
        raise _refusal(folder, "can be written by others")


def _alone_in(group: int) -> bool:
    """Say whether a group has nobody in it but this user, or is that of the administrator."""
    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return group == 0
    private = members.gr_name == user.pw_name and set(members.gr_mem) <= {user.pw_name}
    return group == 0 or private


def _refusal(folder: Path, why: str) -> PermissionError:
    return PermissionError(0, f"{folder} {why}")
