/*
 * The clock of a process in the tests: loaded by LD_PRELOAD before libc. The file that SAFECONDUCT_TEST_CLOCK
 * names holds two 64-bit numbers: the time in milliseconds since 1970, or -1 for the real time; and how many
 * milliseconds are added to it. A test changes the file, and the process sees it at once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);
static volatile int64_t *moved;

__attribute__((constructor)) static void begin(void) {
  real = dlsym(RTLD_NEXT, "clock_gettime");
  const char *name = getenv("SAFECONDUCT_TEST_CLOCK");
  int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  void *map = file < 0 ? MAP_FAILED : mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) moved = map;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (real == NULL) begin();
  int failed = real(clock, time);
  if (failed || moved == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t since = moved[0] >= 0 ? moved[0] * 1000000 : time->tv_sec * 1000000000LL + time->tv_nsec;
  since += moved[1] * 1000000;
  time->tv_sec = since / 1000000000;
  time->tv_nsec = since % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
