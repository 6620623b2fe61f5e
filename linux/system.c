/* SPDX-License-Identifier: MIT */
/* Linux's settings, for the run line, and its counts during the run, for the end line. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "engine/doubts.h"
#include "lib/jsonl_write.h"
#include "linux/report/allocate.h"
#include "linux/sysfs.h"
#include "lib/result_keys.h"
#include "linux/hosted.h"
#include "lib/smbios.h"

/* Names, or beginnings that end with '*' (Linux, admin-guide/kernel-parameters). */
static const char *const deciding[] = { "mitigations", "nopti", "pti", "nospectre_*", "spectre_*",
	"spec_*", "retbleed", "l1tf", "mds", "tsx*", "srbds", "mmio_stale_data", "gather_data_*",
	"reg_file_*", "indirect_target_*", "isolcpus", "nohz", "nohz_full", "rcu_nocbs",
	"irqaffinity", "preempt", "threadirqs", "skew_tick", "highres", "nowatchdog",
	"nmi_watchdog", "nosmt", "idle", "processor.max_cstate", "intel_idle.*", "cpuidle*",
	"intel_pstate", "amd_pstate", "tsc", "clocksource", "transparent_hugepage", "hugepages",
	"hugepagesz", "default_hugepagesz", "numa_balancing", "init_on_alloc", "init_on_free",
	"randomize_kstack_offset" };

static bool decides(const char *word, size_t n)
{
	n = strcspn(word, "=") < n ? strcspn(word, "=") : n;
	for (size_t i = 0; i < sizeof(deciding) / sizeof(*deciding); i++) {
		size_t length = strcspn(deciding[i], "*");
		bool fits = deciding[i][length] ? n >= length : n == length;
		if (fits && !strncmp(word, deciding[i], length))
			return true;
	}
	return false;
}

/*
 * Choose the words of a kernel's command line that decide the costs of the kernel (mitigations,
 * isolated CPUs, ticks, preemption, sleep states, pages, clock sources), in their order, with
 * single spaces. Words after "--" are not the kernel's. `out` has room for the whole line.
 */
static void kernel_options_choose(const char *line, char *out)
{
	size_t used = 0;
	*out = '\0';
	for (line += strspn(line, " \n"); *line; line += strspn(line, " \n")) {
		size_t n = strcspn(line, " \n");
		if (n == 2 && !strncmp(line, "--", 2))
			return;
		if (decides(line, n))
			used += (size_t)sprintf(out + used, "%s%.*s", used ? " " : "", (int)n,
				line);
		line += n;
	}
}

/*
 * Write how far the kernel can be preempted, by its version text (uname -v) and the file of
 * PREEMPT_DYNAMIC's mode ("none voluntary (full)"; "" not readable): "dynamic: full".
 */
static void kernel_preemption(const char *version, const char *mode, char *out, size_t bytes)
{
	const char *at = strchr(mode, '(');
	if (strstr(version, "PREEMPT_RT"))
		snprintf(out, bytes, "real-time");
	else if (strstr(version, "PREEMPT_DYNAMIC") && at)
		snprintf(out, bytes, "dynamic: %.*s", (int)strcspn(at + 1, ")"), at + 1);
	else if (strstr(version, "PREEMPT_DYNAMIC"))
		snprintf(out, bytes, "dynamic");
	else if (strstr(version, "PREEMPT"))
		snprintf(out, bytes, "full");
	else
		snprintf(out, bytes, "none or voluntary");
}

/* Write the tick's rate: the tick steps the coarse clocks, so their resolution is its period. */
static void put_hz(struct jsonl *j)
{
	struct timespec tick;
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && tick.tv_sec == 0 && tick.tv_nsec > 0)
		jsonl_integer(j, "hz", (uint64_t)(1e9 / (double)tick.tv_nsec + 0.5));
}

/* Add "options", "preemption" and "hz" to the run line. */
static void kernel_options_put(struct jsonl *j)
{
	char *line = file_line("/proc/cmdline"), text[80], mode[80];
	struct utsname name;
	char *options = new_array(line ? strlen(line) + 1 : 1, 1);
	kernel_options_choose(line ? line : "", options);
	jsonl_string(j, "options", line ? options : "unknown");
	free(options);
	free(line);
	read_line("/sys/kernel/debug/sched/preempt", mode, sizeof(mode));
	if (!uname(&name)) {
		kernel_preemption(name.version, mode, text, sizeof(text));
		jsonl_string(j, "preemption", text);
	}
	put_hz(j);
}

#define PATH_BYTES 512

/*
 * Read the address of a network card. Returns false if it is no device, or has no Ethernet address.
 */
static bool card_address(const char *root, const char *name, char out[HOST_MAC])
{
	char path[PATH_BYTES], line[64];
	snprintf(path, sizeof(path), "%s/sys/class/net/%s/device", root, name);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "%s/sys/class/net/%s/address", root, name);
	if (!read_line(path, line, sizeof(line)) || strlen(line) != HOST_MAC - 1)
		return false;
	for (size_t i = 0; i < HOST_MAC; i++)
		out[i] = line[i] == ':' ? '-' : line[i];
	return true;
}

static void first_card(const char *root, char out[HOST_MAC])
{
	char path[PATH_BYTES], first[256] = "", address[HOST_MAC];
	snprintf(path, sizeof(path), "%s/sys/class/net", root);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (*first && strcmp(entry->d_name, first) > 0)
			continue;
		if (entry->d_name[0] == '.' || !card_address(root, entry->d_name, address))
			continue;
		snprintf(first, sizeof(first), "%s", entry->d_name);
		memcpy(out, address, HOST_MAC);
	}
	closedir(dir);
}

#define CUT "..." /* the end of a name that is longer than its member */

static void read_dmi(const char *root, const char *file, char *out, size_t bytes)
{
	char path[PATH_BYTES], *line;
	snprintf(path, sizeof(path), "%s/sys/class/dmi/id/%s", root, file);
	line = file_line(path);
	if (line && strlen(line) >= bytes)
		strcpy(line + bytes - sizeof(CUT), CUT);
	snprintf(out, bytes, "%s", line ? line : "");
	free(line);
}

static void read_product(const char *root, const char *maker_file, const char *product_file,
	char out[2 * HOST_NAME])
{
	char maker[HOST_NAME], product[HOST_NAME];
	read_dmi(root, maker_file, maker, sizeof(maker));
	read_dmi(root, product_file, product, sizeof(product));
	snprintf(out, 2 * HOST_NAME, "%s%s%s", maker, *maker && *product ? " " : "", product);
}

/* Read the maker in the FADT, which only root can read (Linux, testing/sysfs-firmware-acpi). */
static void read_acpi_maker(struct facts *f)
{
	char header[ACPI_HEADER];
	FILE *file = fopen("/sys/firmware/acpi/tables/FACP", "rb");
	if (!file)
		return;
	if (fread(header, sizeof(header), 1, file) == 1)
		doubts_acpi_maker(f, header);
	fclose(file);
}

/* Open a file of SMBIOS (Linux, testing/sysfs-firmware-dmi-tables); NULL and errno if it cannot. */
static FILE *open_tables(const char *root, const char *name)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%s/sys/firmware/dmi/tables/%s", root, name);
	return fopen(path, "rb");
}

static unsigned read_version(const char *root)
{
	unsigned char entry[32];
	FILE *file = open_tables(root, "smbios_entry_point");
	if (!file)
		return 0;
	size_t n = fread(entry, 1, sizeof(entry), file);
	fclose(file);
	return smbios_version(entry, n);
}

/* Read SMBIOS's structures, which only root can read. */
static void read_structures(const char *root, struct host *h)
{
	static unsigned char bytes[1 << 16]; /* SMBIOS 2.x has no more */
	FILE *file = open_tables(root, "DMI");
	if (file) {
		size_t n = fread(bytes, 1, sizeof(bytes), file);
		smbios_read(bytes, n, read_version(root), h);
		fclose(file);
	} else {
		h->no_modules = errno == ENOENT ? "this machine has no SMBIOS"
						: "Linux shows memory modules to root only";
	}
}

/* Linux's data about the machine; below `root`, which is "" or a test's directory. */
static struct host host_names_read(const char *root)
{
	struct host h = { 0 };

	read_dmi(root, "product_uuid", h.uuid, sizeof(h.uuid));
	read_dmi(root, "product_serial", h.serial, sizeof(h.serial));
	read_dmi(root, "bios_vendor", h.firmware_vendor, HOST_NAME);
	read_dmi(root, "bios_version", h.firmware_version, HOST_NAME);
	read_dmi(root, "bios_date", h.firmware_date, HOST_NAME);
	read_product(root, "sys_vendor", "product_name", h.system);
	read_product(root, "board_vendor", "board_name", h.board);
	first_card(root, h.mac);
	read_structures(root, &h);
	return h;
}

static void put_known(struct jsonl *j, const char *key, bool known, const char *value)
{
	jsonl_string(j, key, known && *value ? value : "unknown");
}

static void put_file_line(struct jsonl *j, const char *key, const char *path)
{
	char *line = file_line(path);
	put_known(j, key, line, line ? chosen_word(line) : "");
	free(line);
}

static void put_cpu_line(struct jsonl *j, const char *key, unsigned cpu, const char *file)
{
	char path[128];
	snprintf(path, sizeof(path), CPU_DIR "cpu%u/%s", cpu, file);
	put_file_line(j, key, path);
}

/* Write the turbo setting: intel_pstate has no_turbo, acpi-cpufreq and amd-pstate have boost. */
static void put_turbo(struct jsonl *j)
{
	uint64_t value;
	if (read_number(CPU_DIR "intel_pstate/no_turbo", &value))
		jsonl_string(j, "turbo", value ? "off" : "on");
	else if (read_number(CPU_DIR "cpufreq/boost", &value))
		jsonl_string(j, "turbo", value ? "on" : "off");
	else
		jsonl_string(j, "turbo", "unknown");
}

/* Write the limits; nothing if there are none. */
static void put_limits(struct jsonl *j, const struct cgroup_limits *l)
{
	if (!(l->cpus > 0) && !l->memory_bytes && !l->cpuset)
		return;
	jsonl_object(j, "cgroup");
	if (l->cpus > 0)
		jsonl_number(j, "cpus", l->cpus);
	if (l->memory_bytes)
		jsonl_integer(j, "memory_bytes", l->memory_bytes);
	if (l->cpuset)
		jsonl_string(j, "cpuset", l->cpuset);
	jsonl_object_end(j);
}

#define IDLE_STATES 10 /* Linux's CPUIDLE_STATE_MAX */
#define IDLE_NAME   17 /* and its CPUIDLE_NAME_LEN, with a space or NUL */

/* Write the names of the idle states that the kernel may use: "POLL C1 C1E C6". */
static void put_idle_states(struct jsonl *j, unsigned cpu)
{
	char all[IDLE_STATES * IDLE_NAME] = "", name[IDLE_NAME], path[128];
	for (unsigned i = 0; i < IDLE_STATES; i++) {
		uint64_t disabled = 0;
		size_t n = strlen(all);
		snprintf(path, sizeof(path), CPU_DIR "cpu%u/cpuidle/state%u/name", cpu, i);
		if (!read_line(path, name, sizeof(name)))
			break;
		snprintf(path, sizeof(path), CPU_DIR "cpu%u/cpuidle/state%u/disable", cpu, i);
		if (!read_number(path, &disabled) || !disabled)
			snprintf(all + n, sizeof(all) - n, "%s%s", n ? " " : "", name);
	}
	put_known(j, "idle_states", *all, all);
}

/* Write if the measuring CPU is in a list; a kernel without the file has no such CPUs. */
static void put_membership(struct jsonl *j, const char *key, const char *path, unsigned cpu)
{
	bool has,
		known = read_list_has(path, cpu, &has) || errno == ENODATA ||
		(access(CPU_DIR, R_OK) == 0 && access(path, F_OK) && errno == ENOENT);
	jsonl_string(j, key, !known ? "unknown" : has ? "yes" : "no");
}

/* Write every weakness of this processor: its own name and the mitigation. */
static void put_mitigations(struct jsonl *j)
{
	DIR *dir = opendir(CPU_DIR "vulnerabilities");
	if (!dir) {
		jsonl_string(j, "mitigations", "unknown");
		return;
	}
	jsonl_object(j, "mitigations");
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[sizeof(CPU_DIR "vulnerabilities/") + sizeof(entry->d_name)], *text;
		snprintf(path, sizeof(path), CPU_DIR "vulnerabilities/%s", entry->d_name);
		text = entry->d_name[0] == '.' ? NULL : file_line(path);
		if (text && strcmp(text, "Not affected"))
			jsonl_string(j, entry->d_name, text);
		free(text);
	}
	jsonl_object_end(j);
	closedir(dir);
}

static void put_load(struct jsonl *j)
{
	double load[3];
	int n = getloadavg(load, 3);
	jsonl_array(j, "load_average");
	for (int i = 0; i < n; i++)
		jsonl_number(j, NULL, load[i]);
	jsonl_array_end(j);
}

/* Write the mappings made so far, as they were obtained, and how much of each is ready. */
static void put_arenas(struct jsonl *j, const struct hosted_memory *m)
{
	jsonl_array(j, "arenas");
	for (unsigned i = 0; i < SLOTS; i++) {
		const struct slot *s = &m->slots[i];
		if (!s->map)
			continue;
		jsonl_object(j, NULL);
		jsonl_integer(j, "page_bytes", s->arena.page_bytes);
		jsonl_integer(j, "bytes", s->ready);
		jsonl_string(j, "how", s->how);
		jsonl_bool(j, "locked", s->locked);
		if (s->arena.node != NODE_UNKNOWN)
			jsonl_integer(j, "node", s->arena.node);
		jsonl_object_end(j);
	}
	jsonl_array_end(j);
}

/* Write the limit on the time of real-time threads; -1 (no limit) reads as a text. */
static void put_limit(struct jsonl *j, const char *name, const char *path)
{
	uint64_t value;
	if (read_number(path, &value))
		jsonl_integer(j, name, value);
	else
		put_file_line(j, name, path);
}

static void put_scheduling(struct jsonl *j, const struct hosted *h)
{
	struct sched_param param;
	jsonl_bool(j, "root", geteuid() == 0);
	jsonl_integer(j, "cpu", h->scheduling.cpu);
	jsonl_string(j, "scheduler", h->scheduling.fifo ? "fifo" : "other");
	if (h->scheduling.fifo_why)
		jsonl_string(j, "scheduler_why", h->scheduling.fifo_why);
	if (!sched_getparam(0, &param))
		jsonl_integer(j, "priority", (uint64_t)param.sched_priority);
	jsonl_number(j, "nice", getpriority(PRIO_PROCESS, 0));
	if (h->scheduling.autogroup.on)
		jsonl_number(j, "autogroup_nice", h->scheduling.autogroup.nice);
	if (*h->scheduling.autogroup.why)
		jsonl_string(j, "autogroup_why", h->scheduling.autogroup.why);
	put_limit(j, "rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us");
	put_limit(j, "rt_period_us", "/proc/sys/kernel/sched_rt_period_us");
	jsonl_string(j, "interrupts_by", h->counters.marks ? "null-selector" : "none");
	put_cpu_line(j, "governor", h->scheduling.cpu, "cpufreq/scaling_governor");
	put_cpu_line(j, "frequency_driver", h->scheduling.cpu, "cpufreq/scaling_driver");
	put_cpu_line(j, "frequency_lowest_khz", h->scheduling.cpu, "cpufreq/scaling_min_freq");
	put_cpu_line(j, "frequency_highest_khz", h->scheduling.cpu, "cpufreq/scaling_max_freq");
	put_cpu_line(j, "energy_preference", h->scheduling.cpu,
		"cpufreq/energy_performance_preference");
	put_turbo(j);
	put_file_line(j, "idle_driver", CPU_DIR "cpuidle/current_driver");
	put_idle_states(j, h->scheduling.cpu);
	put_membership(j, "isolated", CPU_DIR "isolated", h->scheduling.cpu);
	put_membership(j, "nohz_full", CPU_DIR "nohz_full", h->scheduling.cpu);
	put_limits(j, &h->limits);
}

static void put_time(struct jsonl *j)
{
	char text[32];
	time_t now = time(NULL);
	struct tm utc;
	if (now != (time_t)-1 && gmtime_r(&now, &utc) &&
		strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc))
		jsonl_string(j, KEY_TIME_UTC, text);
}

static void hosted_describe(struct room *room, struct jsonl *j)
{
	const struct hosted *h = hosted_of(room);
	struct utsname name;
	put_time(j);
	jsonl_object(j, KEY_OS);
	put_known(j, "kernel", uname(&name) == 0, name.release);
	kernel_options_put(j);
	put_known(j, KEY_MACHINE, true, room->facts.host.system);
	put_scheduling(j, h);
	put_file_line(j, "smt", CPU_DIR "smt/control");
	put_file_line(j, "thp", "/sys/kernel/mm/transparent_hugepage/enabled");
	put_file_line(j, "clocksource",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource");
	if (h->tsc_doubt)
		jsonl_string(j, KEY_TSC_DOUBT, h->tsc_doubt);
	put_mitigations(j);
	put_arenas(j, &h->memory);
	put_load(j);
	jsonl_object_end(j);
}

/* Write how often a quota stopped the process's groups during the run, and for how long. */
static void put_throttling(struct jsonl *j, struct hosted *h)
{
	struct cgroup_limits now = cgroup_limits_read("");
	cgroup_limits_free(&now);
	if (!now.throttling_known || !h->limits.throttling_known)
		return;
	uint64_t times = now.throttled - h->limits.throttled;
	double seconds = (double)(now.throttled_us - h->limits.throttled_us) / 1e6;
	jsonl_integer(j, "throttled", times);
	jsonl_number(j, "throttled_s", seconds);
	if (times)
		hosted_note(h,
			"\nThe control group's quota stopped this run %" PRIu64
			" times, for %.2f s:\nits times are not those of the machine alone.\n",
			times, seconds);
}

static void put_tsc(struct jsonl *j, struct hosted *h)
{
	double ppm = tsc_off_ppm(h);
	jsonl_number(j, KEY_TSC_OFF, ppm);
	if (ppm > TSC_TRUSTED_PPM)
		hosted_note(h,
			"\nThe TSC's rate in this run was %.0f ppm off: its times are wrong by "
			"that.\n",
			ppm);
}

static void hosted_conclude(struct room *room, struct jsonl *j)
{
	struct hosted *h = hosted_of(room);
	struct os_counters now = os_counters_read(h->scheduling.cpu);
	struct rusage r;
	jsonl_object(j, KEY_OS);
	if (!getrusage(RUSAGE_THREAD, &r)) {
		jsonl_integer(j, "switches_voluntary", (uint64_t)r.ru_nvcsw);
		jsonl_integer(j, "switches_involuntary", (uint64_t)r.ru_nivcsw);
		jsonl_integer(j, "faults_minor", (uint64_t)r.ru_minflt);
		jsonl_integer(j, "faults_major", (uint64_t)r.ru_majflt);
	}
	if (now.interrupts_known && h->at_start.interrupts_known) {
		jsonl_integer(j, "interrupts", now.interrupts - h->at_start.interrupts);
		jsonl_integer(j, "interrupts_timer", now.timer - h->at_start.timer);
	}
	if (now.steal_known && h->at_start.steal_known)
		jsonl_number(j, "steal_s",
			(double)(now.steal_ticks - h->at_start.steal_ticks) / sysconf(_SC_CLK_TCK));
	if (now.waited_known && h->at_start.waited_known)
		jsonl_number(j, "waited_s", (double)(now.waited_ns - h->at_start.waited_ns) / 1e9);
	put_tsc(j, h);
	put_throttling(j, h);
	put_arenas(j, &h->memory);
	put_load(j);
	jsonl_object_end(j);
}

void system_init(struct hosted *h)
{
	h->limits = cgroup_limits_read("");
	h->room.facts.host = host_names_read("");
	read_acpi_maker(&h->room.facts);
	doubts_of_machine(&h->room);
	h->at_start = os_counters_read(h->scheduling.cpu);
	h->room.describe = hosted_describe;
	h->room.conclude = hosted_conclude;
}
