"""A pair of sockets is allowed: it must not become a way out to an abstract or named one.

Must: wrong_answer
Shows: tried 4
"""
import socket

print("began", flush=True)


def f(x):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    tried = 0
    for attempt in (
        lambda: one.connect("\0assay"),
        lambda: one.bind("\0assay"),
        lambda: one.sendto(b"x", "\0assay"),
        lambda: other.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"\0\0\0\0")]),
    ):
        tried += 1
        try:
            attempt()
            print("breached", tried, flush=True)
        except OSError as error:
            if error.errno == 111:
                print("breached: it got as far as a connection", flush=True)
    print("tried", tried, flush=True)
    return 0.0
