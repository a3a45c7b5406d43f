/*
 * Makes the files below FAILING_DIRECTORY fail, for as long as the file FAILING_CONTROL says so in its first letter:
 *   W: nothing can be written (EROFS), as on a file system that has become read-only
 *   H: what is written waits until the letter is another, as on a disk that hangs
 *   R: nothing can be read (EIO), as on a disk that fails
 * To be preloaded (LD_PRELOAD). What is mapped into memory stays as it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char said(void) {
  const char *control = getenv("FAILING_CONTROL");
  char letter = 0;
  long file = control ? syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  if (syscall(SYS_read, file, &letter, 1) != 1) letter = 0;
  syscall(SYS_close, file);
  return letter;
}

static int is_below(const char *path) {
  const char *directory = getenv("FAILING_DIRECTORY");
  return directory && strncmp(path, directory, strlen(directory)) == 0;
}

static int path_fails(const char *path, char letter, int error) {
  int before = errno, fails = said() == letter && is_below(path);
  errno = fails ? error : before;
  return fails;
}

static int fails(int file, char letter, int error) {
  char link[64], path[4096] = "";
  int before = errno, does = 0;
  if (said() == letter) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    long length = syscall(SYS_readlink, link, path, sizeof path - 1);
    does = length > 0 && is_below(path);
  }
  errno = does ? error : before;
  return does;
}

static int opens(int at, const char *path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) != O_RDONLY && path_fails(path, 'W', EROFS)) return -1;
  if ((flags & O_CREAT) && syscall(SYS_faccessat, at, path, F_OK) != 0 && path_fails(path, 'W', EROFS)) return -1;
  return syscall(SYS_openat, at, path, flags, mode);
}
#define MODE(flags)                                                                                                    \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & O_CREAT) {                                                                                             \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    mode = va_arg(more, mode_t);                                                                                       \
    va_end(more);                                                                                                      \
  }
int open(const char *path, int flags, ...) { MODE(flags) return opens(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opens(AT_FDCWD, path, flags, mode); }

#define WRITE_FAILS(file)                                                                                              \
  while (fails(file, 'H', 0)) usleep(20000);                                                                           \
  if (fails(file, 'W', EROFS)) return -1
#define READ_FAILS(file) if (fails(file, 'R', EIO)) return -1
ssize_t write(int file, const void *from, size_t size) {
  WRITE_FAILS(file);
  return syscall(SYS_write, file, from, size);
}
ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
  WRITE_FAILS(file);
  return syscall(SYS_pwrite64, file, from, size, at);
}
ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) { return pwrite(file, from, size, at); }
int ftruncate(int file, off_t size) {
  WRITE_FAILS(file);
  return syscall(SYS_ftruncate, file, size);
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }
int unlink(const char *path) {
  if (path_fails(path, 'W', EROFS)) return -1;
  return syscall(SYS_unlink, path);
}
int rename(const char *from, const char *to) {
  if (path_fails(from, 'W', EROFS)) return -1;
  return syscall(SYS_rename, from, to);
}
ssize_t read(int file, void *to, size_t size) {
  READ_FAILS(file);
  return syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void *to, size_t size, off_t at) {
  READ_FAILS(file);
  return syscall(SYS_pread64, file, to, size, at);
}
ssize_t pread64(int file, void *to, size_t size, off64_t at) { return pread(file, to, size, at); }
