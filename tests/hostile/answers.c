/* Drivers that return from every call, with invalid results. */
#include "base.h"

#define INFO_PARAMETERS (object *of, uint32_t name, size_t room, void *place, size_t *size_ret)
#define RIGHT ((info *)original)(of, name, room, place, size_ret)

/* sizes */

static int with_size(int code, size_t *size_ret, size_t size) {
  if (!code && size_ret) *size_ret = size;
  return code;
}

INSTEAD(size_2_to_40, clGetContextInfo, int, INFO_PARAMETERS) { return with_size(RIGHT, size_ret, (size_t)1 << 40); }
INSTEAD(size_2_to_63, clGetContextInfo, int, INFO_PARAMETERS) { return with_size(RIGHT, size_ret, (size_t)1 << 63); }
INSTEAD(size_max, clGetContextInfo, int, INFO_PARAMETERS) { return with_size(RIGHT, size_ret, SIZE_MAX); }
INSTEAD(size_0, clGetContextInfo, int, INFO_PARAMETERS) { return with_size(RIGHT, size_ret, 0); }
INSTEAD(size_7, clGetContextInfo, int, INFO_PARAMETERS) { return with_size(RIGHT, size_ret, 7); }
INSTEAD(size_16_mib, clGetContextInfo, int, INFO_PARAMETERS) { return with_size(RIGHT, size_ret, 16 << 20); }

static void huge_size(void *place) { *(size_t *)place = (size_t)1 << 62; }

INSTEAD(size_written_late, clGetContextInfo, int, INFO_PARAMETERS) {
  int code = RIGHT;
  if (!code && size_ret) {
    *size_ret = 0;
    later(5, huge_size, size_ret);
  }
  return code;
}

INSTEAD(size_never_written, clGetContextInfo, int, INFO_PARAMETERS) {
  size_t not_told;
  (void)size_ret;
  return ((info *)original)(of, name, room, place, &not_told);
}

INSTEAD(nothing_written, clGetContextInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name, (void)room, (void)place, (void)size_ret;
  return CL_SUCCESS;
}

INSTEAD(only_sizes_written, clGetContextInfo, int, INFO_PARAMETERS) {
  return ((info *)original)(of, name, 0, NULL, size_ret) | (0 && place && room);
}

/* codes */

INSTEAD(random_codes, clGetContextInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name, (void)room, (void)place, (void)size_ret;
  return rand() - RAND_MAX / 2;
}

INSTEAD(positive_codes, clGetContextInfo, int, INFO_PARAMETERS) { return RIGHT ? 1 : 2; }
INSTEAD(lowest_code, clGetContextInfo, int, INFO_PARAMETERS) { return RIGHT, INT32_MIN; }
INSTEAD(no_resources, clGetContextInfo, int, INFO_PARAMETERS) { return RIGHT ? -5 : -5; }
INSTEAD(no_host_memory, clRetainContext, int, (object *of)) { return (void)of, CL_OUT_OF_HOST_MEMORY; }

/* values */

static int filled(int code, void *place, size_t room, int byte) {
  if (!code && place) memset(place, byte, room);
  return code;
}

INSTEAD(all_bits_set, clGetContextInfo, int, INFO_PARAMETERS) { return filled(RIGHT, place, room, 0xFF); }
INSTEAD(all_bits_clear, clGetContextInfo, int, INFO_PARAMETERS) { return filled(RIGHT, place, room, 0); }
INSTEAD(highest_bits_set, clGetContextInfo, int, INFO_PARAMETERS) { return filled(RIGHT, place, room, 0x80); }

INSTEAD(random_values, clGetContextInfo, int, INFO_PARAMETERS) {
  int code = RIGHT;
  for (size_t i = 0; !code && place && i < room; i++) ((char *)place)[i] = (char)rand();
  return code;
}

INSTEAD(lies_sometimes, clRetainContext, int, (object *of)) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return clRetainContext(of), now.tv_nsec / 1000 % 4 ? CL_SUCCESS : CL_INVALID_VALUE;
}

INSTEAD(forgets_to_retain, clRetainContext, int, (object *of)) { return (void)of, CL_SUCCESS; }

/* strings, for the query of HOSTILE_QUERY; HOSTILE_TEXT: the returned value */

INSTEAD(another_text, clGetPlatformInfo, int, INFO_PARAMETERS) {
  const char *said = getenv("HOSTILE_TEXT");
  (void)of, (void)name;
  return text(said ? said : "", room, place, size_ret);
}

INSTEAD(unterminated, clGetPlatformInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name;
  return answer("OpenCL 1.2", 10, room, place, size_ret);
}

INSTEAD(not_utf_8, clGetPlatformInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name;
  return text("\xff\xfe\xc3\x28 \xed\xa0\x80", room, place, size_ret);
}

INSTEAD(only_nuls, clGetPlatformInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name;
  return answer("\0\0\0\0\0\0\0\0", 8, room, place, size_ret);
}

INSTEAD(terminal_commands, clGetPlatformInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name;
  return text("\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>%n*/", room, place, size_ret);
}

static int long_text(size_t size, size_t room, void *place, size_t *size_ret) {
  static char *words;
  words = words ? words : malloc(size);
  for (size_t i = 0; i < size; i++) words[i] = i % 12 == 11 ? ' ' : (char)('a' + i % 26);
  words[size - 1] = 0;
  return answer(words, size, room, place, size_ret);
}

INSTEAD(megabyte, clGetPlatformInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name;
  return long_text(1 << 20, room, place, size_ret);
}

INSTEAD(sixteen_megabytes, clGetPlatformInfo, int, INFO_PARAMETERS) {
  (void)of, (void)name;
  return long_text(16 << 20, room, place, size_ret);
}

INSTEAD(text_changes, clGetPlatformInfo, int, INFO_PARAMETERS) {
  static int times;
  char changing[32];
  times++;
  snprintf(changing, sizeof changing, "%*d", 1 + times % 20, times);
  (void)of, (void)name;
  return text(changing, room, place, size_ret);
}

/* numbers of a device, for the query of HOSTILE_QUERY; HOSTILE_NUMBER: the returned value */

INSTEAD(another_number, clGetDeviceInfo, int, INFO_PARAMETERS) {
  const char *said = getenv("HOSTILE_NUMBER");
  int code = RIGHT;
  uint64_t value = said ? strtoull(said, NULL, 0) : 0;
  if (!code && place) memcpy(place, &value, room < 8 ? room : 8);
  return code;
}

static int is_a_limit(uint32_t name) {
  return name >= CL_DEVICE_MAX_COMPUTE_UNITS && name <= CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR;
}

INSTEAD(no_limits, clGetDeviceInfo, int, INFO_PARAMETERS) {
  return is_a_limit(name) ? filled(RIGHT, place, room, 0) : RIGHT;
}

INSTEAD(highest_limits, clGetDeviceInfo, int, INFO_PARAMETERS) {
  return is_a_limit(name) ? filled(RIGHT, place, room, 0xFF) : RIGHT;
}

/* platforms and devices */

typedef int platforms(uint32_t, object **, uint32_t *);

static int listing(object *one, uint32_t said, uint32_t room, object **places, uint32_t *count) {
  for (uint32_t i = 0; places && i < room && i < said; i++) places[i] = one;
  if (count) *count = said;
  return CL_SUCCESS;
}

INSTEAD(no_platforms, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  return listing(NULL, 0, room, places, count);
}

INSTEAD(platforms_not_found, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  return listing(NULL, 0, room, places, count), CL_PLATFORM_NOT_FOUND_KHR;
}

INSTEAD(four_billion_platforms, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  return clGetPlatformIDs(room, places, NULL), listing(NULL, UINT32_MAX, 0, places, count);
}

INSTEAD(platform_null, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  return listing(NULL, 1, room, places, count);
}

INSTEAD(platform_nowhere, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  return listing((object *)0x1234, 1, room, places, count);
}

INSTEAD(platform_without_a_table, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  static object without = {.kind = PLATFORM, .references = 1};
  return listing(&without, 1, room, places, count);
}

INSTEAD(platform_with_another_table, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  static object with = {.dispatch = (void **)"no addresses of functions", .kind = PLATFORM, .references = 1};
  return listing(&with, 1, room, places, count);
}

INSTEAD(platform_twice, clIcdGetPlatformIDsKHR, int, (uint32_t room, object **places, uint32_t *count)) {
  return listing(&platform, 2, room, places, count);
}

#define DEVICE_PARAMETERS (object *of, uint64_t type, uint32_t room, object **places, uint32_t *count)
#define ASKED (of == &platform && type && (room || !places))

INSTEAD(no_devices, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  int code = clGetDeviceIDs(of, type, room, places, count);
  if (!code && count) *count = 0;
  return code ? code : CL_DEVICE_NOT_FOUND;
}

INSTEAD(four_billion_devices, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  int code = clGetDeviceIDs(of, type, room, places, count);
  if (!code && count) *count = UINT32_MAX;
  return code;
}

INSTEAD(ten_thousand_devices, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  static object many[10000];
  if (!ASKED) return clGetDeviceIDs(of, type, room, places, count);
  for (uint32_t i = 0; i < 10000; i++) many[i] = devices[0];
  for (uint32_t i = 0; places && i < room && i < 10000; i++) places[i] = &many[i];
  if (count) *count = 10000;
  return CL_SUCCESS;
}

INSTEAD(devices_null, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  return ASKED ? listing(NULL, 2, room, places, count) : clGetDeviceIDs(of, type, room, places, count);
}

INSTEAD(devices_nowhere, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  return ASKED ? listing((object *)0x1234, 1, room, places, count) : clGetDeviceIDs(of, type, room, places, count);
}

INSTEAD(device_twice, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  return ASKED ? listing(&devices[0], 2, room, places, count) : clGetDeviceIDs(of, type, room, places, count);
}

INSTEAD(device_is_the_platform, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  return ASKED ? listing(&platform, 1, room, places, count) : clGetDeviceIDs(of, type, room, places, count);
}

INSTEAD(devices_change, clGetDeviceIDs, int, DEVICE_PARAMETERS) {
  static int times;
  return ASKED ? listing(&devices[times++ % 2], 1, room, places, count) : clGetDeviceIDs(of, type, room, places, count);
}

/* objects */

#define CONTEXT_PARAMETERS                                                                                   \
  (const intptr_t *properties, uint32_t count, object *const *given, complaint *notify, void *data, int32_t *error)
#define NEW_CONTEXT clCreateContext(properties, count, given, notify, data, error)

INSTEAD(context_null, clCreateContext, object *, CONTEXT_PARAMETERS) { return NEW_CONTEXT, NULL; }
INSTEAD(context_nowhere, clCreateContext, object *, CONTEXT_PARAMETERS) {
  return NEW_CONTEXT ? (object *)0x1234 : NULL;
}
INSTEAD(context_is_the_device, clCreateContext, object *, CONTEXT_PARAMETERS) {
  return NEW_CONTEXT ? &devices[0] : NULL;
}

INSTEAD(context_without_a_table, clCreateContext, object *, CONTEXT_PARAMETERS) {
  object *one = NEW_CONTEXT;
  if (one) one->dispatch = NULL;
  return one;
}

INSTEAD(context_and_an_error, clCreateContext, object *, CONTEXT_PARAMETERS) {
  object *one = NEW_CONTEXT;
  if (one && error) *error = CL_OUT_OF_HOST_MEMORY;
  return one;
}

INSTEAD(context_and_no_error_written, clCreateContext, object *, CONTEXT_PARAMETERS) {
  (void)error;
  return clCreateContext(properties, count, given, notify, data, NULL);
}

INSTEAD(context_again, clCreateContext, object *, CONTEXT_PARAMETERS) {
  static object *one;
  object *made = NEW_CONTEXT;
  if (made && one) return clRetainContext(one), one;
  return one = made;
}
