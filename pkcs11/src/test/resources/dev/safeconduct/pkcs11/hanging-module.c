/* A module of PKCS #11 whose signing hangs while it is told to. It knows no more than we call. */
#include <pthread.h>
#include <string.h>

typedef unsigned long number;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int hanging = 0;
static long waiting = 0;
static number sessions = 0;

/* For the test: whether signing hangs from now on. */
void hang(int whether) {
  pthread_mutex_lock(&lock);
  hanging = whether;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* For the test: returns when so many hang. */
void await_waiting(long wanted) {
  pthread_mutex_lock(&lock);
  while (waiting < wanted) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static number initialize(void *arguments) { return 0; }

static number slots(unsigned char present, number *ids, number *count) {
  if (ids) ids[0] = 7;
  *count = 1;
  return 0;
}

static number open_session(number slot, number flags, void *a, void *b, number *session) {
  pthread_mutex_lock(&lock);
  *session = ++sessions;
  pthread_mutex_unlock(&lock);
  return 0;
}

static number close_session(number session) { return 0; }
static number login(number session, number user, char *pin, number length) { return 0; }
static number find_init(number session, void *template, number count) { return 0; }

static number find(number session, number *objects, number most, number *count) {
  objects[0] = 1;
  *count = 1;
  return 0;
}

static number find_final(number session) { return 0; }
static number sign_init(number session, void *mechanism, number key) { return 0; }

static number sign(number session, char *data, number size, char *signature, number *length) {
  pthread_mutex_lock(&lock);
  waiting++;
  pthread_cond_broadcast(&changed);
  while (hanging) pthread_cond_wait(&changed, &lock);
  waiting--;
  pthread_mutex_unlock(&lock);
  memset(signature, data[0], 64);
  *length = 64;
  return 0;
}

/* CK_FUNCTION_LIST: the version, then every function at its place. */
static struct {
  unsigned char version[8];
  void *functions[68];
} list;

number C_GetFunctionList(void **out) {
  list.functions[0] = initialize;
  list.functions[4] = slots;
  list.functions[12] = open_session;
  list.functions[13] = close_session;
  list.functions[18] = login;
  list.functions[26] = find_init;
  list.functions[27] = find;
  list.functions[28] = find_final;
  list.functions[42] = sign_init;
  list.functions[43] = sign;
  /* The others are looked up, never called. */
  list.functions[22] = close_session;
  list.functions[24] = close_session;
  list.functions[59] = close_session;
  *out = &list;
  return 0;
}
