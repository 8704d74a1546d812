"""Sockets of every family, and a name looked up.

Must: wrong_answer
Shows: tried 7
"""
import socket

print("began", flush=True)
FAMILIES = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK, 38)


def f(x):
    for tried, family in enumerate(FAMILIES, 1):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind)
            except OSError:
                continue
            print("breached: socket of family", family, flush=True)
    try:
        socket.getaddrinfo("localhost", 80)
        print("looked up", flush=True)
    except OSError:
        pass
    print("tried", tried, flush=True)
    return 0.0
