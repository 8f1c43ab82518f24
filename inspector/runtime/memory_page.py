"""Address space of the operating system: reserve, open for use, release.

Lives here: the calls of Linux, macOS and Windows. Not here: who asks (memory). Only
memory imports it.
"""

import ctypes
import mmap
import sys

_PAGE_NOACCESS = 0x01
_PAGE_READWRITE = 0x04
_MEM_COMMIT = 0x1000
_MEM_RESERVE = 0x2000
_MEM_RELEASE = 0x8000


class PageError(OSError):
    """The operating system gives no address space or no memory."""


if sys.platform == "win32":
    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.VirtualAlloc.restype = ctypes.c_void_p
    _kernel.VirtualAlloc.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_uint32,
        ctypes.c_uint32,
    ]
    _kernel.VirtualFree.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32]

    def reserve(size: int) -> int:
        """Reserve address space without access; its address."""
        address = _kernel.VirtualAlloc(None, size, _MEM_RESERVE, _PAGE_NOACCESS)
        if not address:
            raise PageError(ctypes.get_last_error(), f"cannot reserve {size} bytes")
        return int(address)

    def open_pages(address: int, size: int) -> None:
        """Make reserved bytes readable, writable and zero; again for a longer range."""
        if size and not _kernel.VirtualAlloc(address, size, _MEM_COMMIT, _PAGE_READWRITE):
            raise PageError(ctypes.get_last_error(), f"cannot commit {size} bytes")

    def release(address: int, size: int) -> None:
        """Give a reservation back."""
        _kernel.VirtualFree(address, 0, _MEM_RELEASE)

else:
    _libc = ctypes.CDLL(None, use_errno=True)
    _libc.mmap.restype = ctypes.c_void_p
    _libc.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int64,
    ]
    _libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    _libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    _FAILED = ctypes.c_void_p(-1).value
    # Overcommit accounting must not count the 4 GiB that a memory reserves.
    _FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)

    def reserve(size: int) -> int:
        """Reserve address space without access; its address."""
        address = _libc.mmap(None, size, 0, _FLAGS, -1, 0)
        if address is None or address == _FAILED:
            raise PageError(ctypes.get_errno(), f"cannot reserve {size} bytes")
        return int(address)

    def open_pages(address: int, size: int) -> None:
        """Make reserved bytes readable, writable and zero; again for a longer range."""
        if size and _libc.mprotect(address, size, mmap.PROT_READ | mmap.PROT_WRITE):
            raise PageError(ctypes.get_errno(), f"cannot open {size} bytes")

    def release(address: int, size: int) -> None:
        """Give a reservation back."""
        _libc.munmap(address, size)
