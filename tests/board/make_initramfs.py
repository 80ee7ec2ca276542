#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the initramfs of the emulated board: busybox, our init, the kernel modules it needs
in load order, and cross-built programs with their shared libraries.

Needs no root and writes no device nodes (the kernel makes /dev/console itself). The archive is not
compressed: QEMU copies it into memory at once, while unpacking on an emulated CPU takes seconds.
"""

import argparse
import os
import re
import shutil
import stat
import subprocess
import sys

# What the checks drive. Dependencies are added in front of each; what is built in is skipped.
MODULES = ["virtio_mmio", "virtio_blk", "vivid", "vcan", "slcan", "can-raw", "can-isotp", "softdog", "snd-aloop"]

# Where Debian keeps arm64 libraries: on an arm64 host or with multiarch, and with cross packages.
LIBRARY_DIRS = ["/usr/lib/aarch64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib"]


class PackError(Exception):
    pass


def output_of(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PackError(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise PackError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


class Archive:
    """A cpio archive in the kernel's "newc" form; the same input gives the same bytes."""

    def __init__(self):
        self.entries = {}  # path in the guest -> (mode, content)

    def directory(self, path):
        path = path.strip("/")
        if not path or path in self.entries:
            return
        self.directory(os.path.dirname(path))
        self.entries[path] = (stat.S_IFDIR | 0o755, b"")

    def content(self, path, data, mode=0o644):
        path = path.strip("/")
        self.directory(os.path.dirname(path))
        self.entries[path] = (stat.S_IFREG | mode, data)

    def file(self, path, source, mode=None):
        with open(source, "rb") as f:
            data = f.read()
        self.content(path, data, stat.S_IMODE(os.stat(source).st_mode) if mode is None else mode)

    def link(self, path, target):
        path = path.strip("/")
        self.directory(os.path.dirname(path))
        self.entries[path] = (stat.S_IFLNK | 0o777, target.encode())

    def write(self, out):
        def record(inode, name, mode, data):
            fields = [inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
            head = b"070701" + b"".join(b"%08x" % f for f in fields) + name.encode() + b"\0"
            out.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))

        for inode, (path, (mode, data)) in enumerate(self.entries.items(), start=1):
            record(inode, path, mode, data)
        record(0, "TRAILER!!!", 0, b"")


def kernel_version(kernel):
    versions = sorted(os.listdir(os.path.join(kernel, "lib/modules")))
    if len(versions) != 1:
        raise PackError(f"{kernel}/lib/modules: expected one kernel, found {versions or 'none'}")
    return versions[0]


def modules_in_load_order(kernel, version):
    kernel = os.path.abspath(kernel)
    if not os.path.exists(f"{kernel}/lib/modules/{version}/modules.dep"):
        output_of("depmod", "-b", kernel, version)
    files = []
    for name in MODULES:
        shown = output_of("modprobe", "-d", kernel, "-S", version, "--show-depends", name)
        for line in shown.splitlines():
            path = line.split()[1] if line.startswith("insmod ") else None
            if path and path not in files:
                files.append(path)
    return files


def needed_libraries(path):
    """The interpreter and NEEDED names of an ELF file; both empty for a static one."""
    text = output_of("readelf", "-d", "-l", "-W", path)
    interpreter = re.search(r"program interpreter: ([^\]]+)\]", text)
    needed = re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", text)
    return (interpreter.group(1) if interpreter else None), needed


def stripped(path, work):
    """A copy without debug information where the tool is there, else the file itself."""
    tool = shutil.which("aarch64-linux-gnu-strip") or shutil.which("llvm-strip")
    if not tool:
        return path
    copy = os.path.join(work, os.path.basename(path))
    output_of(tool, "--strip-debug", "-o", copy, path)
    return copy


def add_programs(archive, programs, library_dirs, work):
    waiting = list(programs)
    for program in programs:
        archive.file(f"/bin/{os.path.basename(program)}", stripped(program, work), 0o755)
    done = set()
    while waiting:
        path = waiting.pop()
        interpreter, needed = needed_libraries(path)
        wanted = [os.path.basename(interpreter)] if interpreter else []
        for name in wanted + needed:
            if name in done:
                continue
            done.add(name)
            found = next((f"{d}/{name}" for d in library_dirs if os.path.exists(f"{d}/{name}")), None)
            if not found:
                raise PackError(f"{path} needs {name}, which is in none of {', '.join(library_dirs)}")
            archive.file(f"/lib/{name}", found, 0o755)
            waiting.append(found)
    return sorted(done)


def add_tree(archive, source, target):
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                archive.file(os.path.join(target, os.path.relpath(path, source)), path, 0o644)


def add_python(archive, root, library_dirs):
    """An unpacked Python of Debian, without its tests and what no test here imports."""
    programs = [name for name in os.listdir(f"{root}/usr/bin") if re.fullmatch(r"python3\.\d+", name)]
    if len(programs) != 1:
        raise PackError(f"{root}/usr/bin: expected one Python, found {programs or 'none'}")
    name = programs[0]
    archive.file(f"/usr/bin/{name}", f"{root}/usr/bin/{name}", 0o755)
    archive.link("/usr/bin/python3", name)
    left_out = {"test", "idlelib", "lib2to3", "pydoc_data", "ensurepip", "distutils", "asyncio", "sqlite3", "curses"}
    top = f"{root}/usr/lib/{name}"
    wanted = {"_ctypes", "_queue", "_typing", "_json", "_contextvars"}
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(f for f in folders if f not in left_out and not f.startswith("config-"))
        for file in sorted(names):
            if file.endswith(".so") and file.split(".")[0] not in wanted:
                continue
            path = os.path.join(folder, file)
            if os.path.isfile(path):
                archive.file(os.path.join(f"/usr/lib/{name}", os.path.relpath(path, top)), path, 0o644)
    done = set()
    waiting = [f"{root}/usr/bin/{name}"] + [f"{top}/lib-dynload/{f}" for f in os.listdir(f"{top}/lib-dynload")
                                            if f.split(".")[0] in wanted]
    while waiting:
        for library in needed_libraries(waiting.pop())[1]:
            found = next((f"{d}/{library}" for d in library_dirs if os.path.exists(f"{d}/{library}")), None)
            if not found:
                raise PackError(f"Python needs {library}, which is in none of {', '.join(library_dirs)}")
            if library not in done:
                done.add(library)
                archive.file(f"/lib/{library}", found, 0o755)
                waiting.append(found)


def pack(options):
    archive = Archive()
    for path in ["/bin", "/dev", "/etc", "/lib", "/proc", "/sys", "/tmp", "/run", "/var/log"]:
        archive.directory(path)
    archive.file("/bin/busybox", options.busybox, 0o755)
    archive.link("/bin/sh", "busybox")
    archive.file("/init", options.init, 0o755)

    version = kernel_version(options.kernel)
    modules = modules_in_load_order(options.kernel, version)
    for path in modules:
        archive.file(f"/lib/modules/{os.path.basename(path)}", path)
    order = "".join(os.path.basename(path) + "\n" for path in modules)
    archive.content("/lib/modules/order", order.encode())

    work = options.out + ".work"
    os.makedirs(work, exist_ok=True)
    libraries = add_programs(archive, options.program, options.libraries + LIBRARY_DIRS, work)
    shutil.rmtree(work)
    if any(name.startswith("libasound.so") for name in libraries):
        add_tree(archive, "/usr/share/alsa", "/usr/share/alsa")
    if options.python:
        inside = [f"{options.python}{d}" for d in ("/usr/lib/aarch64-linux-gnu", "/lib/aarch64-linux-gnu")]
        add_python(archive, options.python, inside + options.libraries + LIBRARY_DIRS)
    for pair in options.tree:
        source, _, target = pair.partition(":")
        add_tree(archive, source, target)
    for pair in options.file:
        source, _, target = pair.partition(":")
        archive.file(target, source)

    with open(options.out + ".part", "wb") as out:
        archive.write(out)
    os.replace(options.out + ".part", options.out)
    size = os.path.getsize(options.out) / 1e6
    print(f"initramfs: Linux {version}, {len(modules)} modules, {len(options.program)} programs, "
          f"{len(libraries)} libraries, {size:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", required=True, help="unpacked Debian kernel package")
    parser.add_argument("--busybox", required=True, help="static arm64 busybox")
    parser.add_argument("--init", required=True, help="script that becomes /init")
    parser.add_argument("--out", required=True, help="archive to write")
    parser.add_argument("--libraries", action="append", default=[], help="look here for libraries first")
    parser.add_argument("--file", action="append", default=[], metavar="SOURCE:TARGET")
    parser.add_argument("--tree", action="append", default=[], metavar="FOLDER:TARGET")
    parser.add_argument("--python", help="unpacked Debian packages of an arm64 Python, for /usr")
    parser.add_argument("program", nargs="*", help="arm64 executables for /bin")
    try:
        pack(parser.parse_args())
    except (PackError, OSError) as error:
        print(f"make_initramfs: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
