#define _GNU_SOURCE
#include "throttling.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, PERCENT = 100 };

/* Read the first line of a file of a folder's entry; false if there is none. */
static bool read_line(const char *folder, const char *entry, const char *name, char line[LINE_BYTES]) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", folder, entry, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    bool is_read = fgets(line, LINE_BYTES, file) != NULL;
    fclose(file);
    line[is_read ? strcspn(line, "\n") : 0] = 0;
    return is_read;
}

/* Read a number in a file of a folder's entry; a negative one if there is none. */
static long read_value(const char *folder, const char *entry, const char *name) {
    char line[LINE_BYTES];
    return read_line(folder, entry, name, line) ? strtol(line, NULL, 10) : -1;
}

static long frequency_share(const char *folder, const char *entry) {
    long allowed = read_value(folder, entry, "cpufreq/scaling_max_freq");
    long highest = read_value(folder, entry, "cpufreq/cpuinfo_max_freq");
    return allowed < 0 || highest <= 0 ? -1 : allowed * PERCENT / highest;
}

static long temperature(const char *folder, const char *entry) { return read_value(folder, entry, "temp"); }

/* Return the least or the greatest value of the entries of a folder that is not negative; -1 if there is none. */
static long find_extreme(const char *root, const char *place, long (*read)(const char *, const char *), bool is_least) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", root, place);
    DIR *entries = opendir(folder);
    long found = -1;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        long value = read(folder, entry->d_name);
        if (value >= 0 && (found < 0 || (is_least ? value < found : value > found))) {
            found = value;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return found;
}

/* Whether a cooling device reduces the speed of something; fans do not. */
static bool reduces_speed(const char *kind) {
    static const char *const known[] = {"cpufreq", "cpuidle", "devfreq", "Processor", "thermal-idle", "gpu"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strstr(kind, known[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void add_cooling(struct facts *facts, const char *root) {
    char folder[PATH_MAX], kinds[FACT_BYTES] = "", kind[LINE_BYTES];
    snprintf(folder, sizeof folder, "%s/class/thermal", root);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, "cooling_device", sizeof "cooling_device" - 1) == 0 &&
            read_value(folder, entry->d_name, "cur_state") > 0 && read_line(folder, entry->d_name, "type", kind) &&
            reduces_speed(kind) && strstr(kinds, kind) == NULL && strlen(kinds) + strlen(kind) + 2 < sizeof kinds) {
            strcat(strcat(kinds, *kinds != 0 ? ", " : ""), kind);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (*kinds != 0) {
        add_fact(facts, "cooling", kinds);
    }
}

void add_throttling_facts(struct facts *facts, const char *root) {
    long share = find_extreme(root, "devices/system/cpu", frequency_share, true);
    if (share >= 0) {
        add_number_fact(facts, "frequency limit", (uint64_t)share);
    }
    long hottest = find_extreme(root, "class/thermal", temperature, false);
    if (hottest >= 0) {
        add_number_fact(facts, "temperature", (uint64_t)hottest);
    }
    add_cooling(facts, root);
}
