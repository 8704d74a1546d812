"""Which system calls a candidate may make, and their numbers on x86_64 and aarch64.

ALLOWED pass, IGNORED report success and do nothing, DENIED answer EPERM and UNSUPPORTED ENOTSUP (an honest library that tries one
goes on without it), FATAL end the process at once: nothing honest makes them. `inside.seccomp` looks at the arguments of CHECKED.
What stands in no list answers ENOSYS, as on an older kernel. Threads are allowed and processes are not. `openat2` stands nowhere:
its flags lie behind a pointer. Not covered: 32-bit and x32 calls, which end the process.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ALLOWED = _words("""
read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close dup dup2 dup3 stat fstat lstat
newfstatat statx access faccessat faccessat2 readlink readlinkat getcwd chdir fchdir getdents64 fadvise64 fsync fdatasync
ftruncate truncate flock statfs fstatfs umask sendfile copy_file_range mkdir mkdirat rmdir unlink unlinkat rename renameat
renameat2 symlink symlinkat link linkat mmap munmap mremap mprotect madvise brk msync mincore membarrier rt_sigaction
rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack restart_syscall pause alarm setitimer
getitimer futex futex_waitv set_robust_list get_robust_list set_tid_address rseq arch_prctl gettid getpid getppid getpgrp
getpgid getsid getuid geteuid getgid getegid getresuid getresgid getgroups sched_yield sched_getaffinity sched_getparam
sched_getscheduler sched_get_priority_max sched_get_priority_min getcpu getrusage getrlimit sysinfo uname times getpriority
clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time timer_create timer_settime timer_gettime timer_delete
timer_getoverrun timerfd_create timerfd_settime timerfd_gettime poll ppoll select pselect6 epoll_create epoll_create1
epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 pipe pipe2 getrandom exit exit_group wait4 waitid recvfrom
""")

IGNORED = _words("chmod fchmod fchmodat utime utimes utimensat")
"""modes and times of files, which `shutil.copy` sets: Landlock doesn't know these calls, and no answer depends on them"""

DENIED = _words("""
fork vfork execve execveat socket connect bind listen accept accept4 sendmsg recvmsg chown fchown lchown fchownat
memfd_create mknod mknodat setpriority sched_setaffinity tkill shmget shmat msgget semget setsid setpgid mlock mlockall
rt_sigqueueinfo mbind migrate_pages move_pages
""")

UNSUPPORTED = _words("""
setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr
fremovexattr
""")

FATAL = _words("""
ptrace mount umount2 pivot_root chroot unshare setns bpf io_uring_setup io_uring_enter io_uring_register keyctl add_key
request_key process_vm_readv process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal userfaultfd perf_event_open
init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff open_tree move_mount fsopen fsconfig
fsmount fspick mount_setattr open_by_handle_at name_to_handle_at kcmp quotactl acct personality syslog iopl ioperm modify_ldt
setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset seccomp landlock_create_ruleset
landlock_add_rule landlock_restrict_self process_madvise settimeofday clock_settime adjtimex clock_adjtime sethostname
setdomainname fanotify_init lookup_dcookie vhangup
""")

CHECKED = _words("clone clone3 prctl ioctl fcntl open openat fallocate close_range kill tgkill prlimit64 socketpair sendto")

_X86_64 = """
read=0 write=1 readv=19 writev=20 pread64=17 pwrite64=18 preadv=295 pwritev=296 preadv2=327 pwritev2=328 lseek=8 close=3
close_range=436 dup=32 dup2=33 dup3=292 fcntl=72 open=2 openat=257 stat=4 fstat=5 lstat=6 newfstatat=262 statx=332 access=21
faccessat=269 faccessat2=439 readlink=89 readlinkat=267 getcwd=79 chdir=80 fchdir=81 getdents64=217 fadvise64=221 fsync=74
fdatasync=75 ftruncate=77 truncate=76 fallocate=285 flock=73 statfs=137 fstatfs=138 umask=95 sendfile=40 copy_file_range=326
mkdir=83 mkdirat=258 rmdir=84 unlink=87 unlinkat=263 rename=82 renameat=264 renameat2=316 symlink=88 symlinkat=266 link=86
linkat=265 mmap=9 munmap=11 mremap=25 mprotect=10 madvise=28 brk=12 msync=26 mincore=27 membarrier=324 rt_sigaction=13
rt_sigprocmask=14 rt_sigreturn=15 rt_sigpending=127 rt_sigtimedwait=128 rt_sigsuspend=130 sigaltstack=131
restart_syscall=219 pause=34 alarm=37 setitimer=38 getitimer=36 futex=202 futex_waitv=449 set_robust_list=273
get_robust_list=274 set_tid_address=218 rseq=334 arch_prctl=158 gettid=186 getpid=39 getppid=110 getpgrp=111 getpgid=121
getsid=124 getuid=102 geteuid=107 getgid=104 getegid=108 getresuid=118 getresgid=120 getgroups=115 sched_yield=24
sched_getaffinity=204 sched_getparam=143 sched_getscheduler=145 sched_get_priority_max=146 sched_get_priority_min=147
getcpu=309 getrusage=98 getrlimit=97 sysinfo=99 uname=63 times=100 getpriority=140 clock_gettime=228 clock_getres=229
clock_nanosleep=230 nanosleep=35 gettimeofday=96 time=201 timer_create=222 timer_settime=223 timer_gettime=224
timer_delete=226 timer_getoverrun=225 timerfd_create=283 timerfd_settime=286 timerfd_gettime=287 poll=7 ppoll=271 select=23
pselect6=270 epoll_create=213 epoll_create1=291 epoll_ctl=233 epoll_wait=232 epoll_pwait=281 epoll_pwait2=441 eventfd=284
eventfd2=290 pipe=22 pipe2=293 getrandom=318 exit=60 exit_group=231 wait4=61 waitid=247 recvfrom=45 fork=57 vfork=58
execve=59 execveat=322 socket=41 connect=42 bind=49 listen=50 accept=43 accept4=288 sendmsg=46 recvmsg=47 chmod=90 fchmod=91
fchmodat=268 chown=92 fchown=93 lchown=94 fchownat=260 utime=132 utimes=235 utimensat=280 memfd_create=319 mknod=133
mknodat=259 setpriority=141 sched_setaffinity=203 tkill=200 shmget=29 shmat=30 msgget=68 semget=64 setsid=112 setpgid=109
mlock=149 mlockall=151 rt_sigqueueinfo=129 mbind=237 migrate_pages=256 move_pages=279 ptrace=101 mount=165 umount2=166
pivot_root=155 chroot=161 unshare=272 setns=308 bpf=321 io_uring_setup=425 io_uring_enter=426 io_uring_register=427
keyctl=250 add_key=248 request_key=249 process_vm_readv=310 process_vm_writev=311 pidfd_open=434 pidfd_getfd=438
pidfd_send_signal=424 userfaultfd=323 perf_event_open=298 init_module=175 finit_module=313 delete_module=176 kexec_load=246
kexec_file_load=320 reboot=169 swapon=167 swapoff=168 open_tree=428 move_mount=429 fsopen=430 fsconfig=431 fsmount=432
fspick=433 mount_setattr=442 open_by_handle_at=304 name_to_handle_at=303 kcmp=312 quotactl=179 acct=163 personality=135
syslog=103 iopl=172 ioperm=173 modify_ldt=154 setuid=105 setgid=106 setreuid=113 setregid=114 setresuid=117 setresgid=119
setgroups=116 setfsuid=122 setfsgid=123 capset=126 seccomp=317 landlock_create_ruleset=444 landlock_add_rule=445
landlock_restrict_self=446 process_madvise=440 settimeofday=164 clock_settime=227 adjtimex=159 clock_adjtime=305
sethostname=170 setdomainname=171 fanotify_init=300 lookup_dcookie=212 vhangup=153 clone=56 clone3=435 prctl=157 ioctl=16
kill=62 tgkill=234 prlimit64=302 socketpair=53 sendto=44 setxattr=188 lsetxattr=189 fsetxattr=190 getxattr=191 lgetxattr=192
fgetxattr=193 listxattr=194 llistxattr=195 flistxattr=196 removexattr=197 lremovexattr=198 fremovexattr=199
"""

_AARCH64 = """
read=63 write=64 readv=65 writev=66 pread64=67 pwrite64=68 preadv=69 pwritev=70 preadv2=286 pwritev2=287 lseek=62 close=57
close_range=436 dup=23 dup3=24 fcntl=25 openat=56 fstat=80 newfstatat=79 statx=291 faccessat=48 faccessat2=439 readlinkat=78
getcwd=17 chdir=49 fchdir=50 getdents64=61 fadvise64=223 fsync=82 fdatasync=83 ftruncate=46 truncate=45 fallocate=47
flock=32 statfs=43 fstatfs=44 umask=166 sendfile=71 copy_file_range=285 mkdirat=34 unlinkat=35 renameat=38 renameat2=276
symlinkat=36 linkat=37 mmap=222 munmap=215 mremap=216 mprotect=226 madvise=233 brk=214 msync=227 mincore=232 membarrier=283
rt_sigaction=134 rt_sigprocmask=135 rt_sigreturn=139 rt_sigpending=136 rt_sigtimedwait=137 rt_sigsuspend=133 sigaltstack=132
restart_syscall=128 setitimer=103 getitimer=102 futex=98 futex_waitv=449 set_robust_list=99 get_robust_list=100
set_tid_address=96 rseq=293 gettid=178 getpid=172 getppid=173 getpgid=155 getsid=156 getuid=174 geteuid=175 getgid=176
getegid=177 getresuid=148 getresgid=150 getgroups=158 sched_yield=124 sched_getaffinity=123 sched_getparam=121
sched_getscheduler=120 sched_get_priority_max=125 sched_get_priority_min=126 getcpu=168 getrusage=165 getrlimit=163
sysinfo=179 uname=160 times=153 getpriority=141 clock_gettime=113 clock_getres=114 clock_nanosleep=115 nanosleep=101
gettimeofday=169 timer_create=107 timer_settime=110 timer_gettime=108 timer_delete=111 timer_getoverrun=109
timerfd_create=85 timerfd_settime=86 timerfd_gettime=87 ppoll=73 pselect6=72 epoll_create1=20 epoll_ctl=21 epoll_pwait=22
epoll_pwait2=441 eventfd2=19 pipe2=59 getrandom=278 exit=93 exit_group=94 wait4=260 waitid=95 recvfrom=207 execve=221
execveat=281 socket=198 connect=203 bind=200 listen=201 accept=202 accept4=242 sendmsg=211 recvmsg=212 fchmod=52 fchmodat=53
fchown=55 fchownat=54 utimensat=88 memfd_create=279 mknodat=33 setpriority=140 sched_setaffinity=122 tkill=130 shmget=194
shmat=196 msgget=186 semget=190 setsid=157 setpgid=154 mlock=228 mlockall=230 rt_sigqueueinfo=138 mbind=235
migrate_pages=238 move_pages=239 ptrace=117 mount=40 umount2=39 pivot_root=41 chroot=51 unshare=97 setns=268 bpf=280
io_uring_setup=425 io_uring_enter=426 io_uring_register=427 keyctl=219 add_key=217 request_key=218 process_vm_readv=270
process_vm_writev=271 pidfd_open=434 pidfd_getfd=438 pidfd_send_signal=424 userfaultfd=282 perf_event_open=241
init_module=105 finit_module=273 delete_module=106 kexec_load=104 kexec_file_load=294 reboot=142 swapon=224 swapoff=225
open_tree=428 move_mount=429 fsopen=430 fsconfig=431 fsmount=432 fspick=433 mount_setattr=442 open_by_handle_at=265
name_to_handle_at=264 kcmp=272 quotactl=60 acct=89 personality=92 syslog=116 setuid=146 setgid=144 setreuid=145 setregid=143
setresuid=147 setresgid=149 setgroups=159 setfsuid=151 setfsgid=152 capset=91 seccomp=277 landlock_create_ruleset=444
landlock_add_rule=445 landlock_restrict_self=446 process_madvise=440 settimeofday=170 clock_settime=112 adjtimex=171
clock_adjtime=266 sethostname=161 setdomainname=162 fanotify_init=262 lookup_dcookie=18 vhangup=58 clone=220 clone3=435
prctl=167 ioctl=29 kill=129 tgkill=131 prlimit64=261 socketpair=199 sendto=206 setxattr=5 lsetxattr=6 fsetxattr=7 getxattr=8
lgetxattr=9 fgetxattr=10 listxattr=11 llistxattr=12 flistxattr=13 removexattr=14 lremovexattr=15 fremovexattr=16
"""


def _table(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in (entry.split("=") for entry in text.split())}


NUMBERS: dict[str, dict[str, int]] = {"x86_64": _table(_X86_64), "aarch64": _table(_AARCH64)}
"""machine -> name -> number; a call that the machine lacks is absent"""

AUDIT: dict[str, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""machine -> the architecture word that the kernel hands to a filter"""
