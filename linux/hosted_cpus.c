/* SPDX-License-Identifier: MIT */
/* Which processors there are; pinning to one of them with priority over others' work. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "linux/hosted.h"
#include "linux/sysfs.h"

#define MASK_CPUS  8192 /* Linux's largest NR_CPUS; the list itself is sized by what is there */
#define MASK_BYTES CPU_ALLOC_SIZE(MASK_CPUS)

/* One figure of /sys/devices/system/cpu/cpuN/topology. */
static uint32_t topology(unsigned cpu, const char *name)
{
	char path[96];
	uint64_t value;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return read_number(path, &value) && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Position among the siblings of one core: "0,32" is thread 0 and 1. */
static uint32_t sibling_index(unsigned cpu)
{
	char path[96], list[256];
	uint32_t before = 0;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		cpu);
	if (!read_line(path, list, sizeof(list)))
		return UINT32_MAX;
	for (unsigned i = 0; i < cpu; i++)
		before += list_has(list, i);
	return before;
}

static uint32_t node_of(unsigned cpu)
{
	char path[96], list[1024];
	for (uint32_t node = 0; node < 1024; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
		if (!read_line(path, list, sizeof(list)))
			break;
		if (list_has(list, cpu))
			return node;
	}
	return UINT32_MAX;
}

/* One figure or list of a CPU's cache, such as "level". */
static bool cache_line(unsigned cpu, unsigned index, const char *name, char *out, size_t bytes)
{
	char path[96];
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index,
		name);
	return read_line(path, out, bytes);
}

/* The last cache by the first CPU that shares it: its `id` is not there before Linux 4.10. */
static uint32_t last_cache_of(unsigned cpu)
{
	char text[1024];
	unsigned long highest = 0;
	uint32_t last = UINT32_MAX;
	for (unsigned i = 0; cache_line(cpu, i, "level", text, sizeof(text)); i++) {
		unsigned long level = strtoul(text, NULL, 10);
		if (level < highest || !cache_line(cpu, i, "shared_cpu_list", text, sizeof(text)))
			continue;
		highest = level;
		last = (uint32_t)strtoul(text, NULL, 10);
	}
	return last;
}

static struct cpu_location location_of(unsigned cpu)
{
	return (struct cpu_location){
		.id = cpu,
		.package = topology(cpu, "physical_package_id"),
		.die = topology(cpu, "die_id"),
		.core = topology(cpu, "core_id"),
		.thread = sibling_index(cpu),
		.node = node_of(cpu),
		.l3 = last_cache_of(cpu),
	};
}

int pin_to(unsigned cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	if (!set)
		return -1;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	int failed = sched_setaffinity(0, bytes, set);
	CPU_FREE(set);
	return failed;
}

/* Which CPUs this process may use; to be freed by CPU_FREE. NULL with errno. */
static cpu_set_t *allowed_cpus(void)
{
	cpu_set_t *set = CPU_ALLOC(MASK_CPUS);
	if (set && sched_getaffinity(0, MASK_BYTES, set)) {
		CPU_FREE(set);
		return NULL;
	}
	return set;
}

unsigned first_cpu(void)
{
	cpu_set_t *set = allowed_cpus();
	unsigned cpu = 0;
	while (set && cpu < MASK_CPUS && !CPU_ISSET_S(cpu, MASK_BYTES, set))
		cpu++;
	CPU_FREE(set);
	return cpu < MASK_CPUS ? cpu : 0;
}

/* The measuring CPU first, then the others in Linux's order. */
static void list_cpus(struct hosted *h, const cpu_set_t *set)
{
	unsigned n = 1;
	h->topology[0] = location_of(h->scheduling.cpu);
	for (unsigned cpu = 0; cpu < MASK_CPUS; cpu++)
		if (cpu != h->scheduling.cpu && CPU_ISSET_S(cpu, MASK_BYTES, set))
			h->topology[n++] = location_of(cpu);
	h->room.facts.cpus = n;
	h->room.facts.topology = h->topology;
}

#define FIFO_PRIORITY 1 /* before all ordinary threads, behind other real-time ones */

/*
 * A real-time thread that never sleeps is stopped so that others come to their right: before Linux
 * 6.12 in every period, since then only while an ordinary thread starves ("sched/rt: Remove default
 * bandwidth control"; the fair server has the same share by default).
 */
static void find_pause(struct facts *f)
{
	uint64_t runtime_us, period_us;
	if (!read_number("/proc/sys/kernel/sched_rt_runtime_us", &runtime_us) ||
		!read_number("/proc/sys/kernel/sched_rt_period_us", &period_us) ||
		runtime_us >= period_us)
		return;
	f->rt_pause_ns = (double)(period_us - runtime_us) * 1e3;
	f->rt_period_ns = (double)period_us * 1e3;
}

/* Threads that we start are ordinary (RESET_ON_FORK). NULL, or why it cannot be had. */
static const char *take_fifo(struct hosted *h)
{
	struct sched_param param = { .sched_priority = FIFO_PRIORITY };
	if (h->room.facts.cpus < 2)
		return "only one CPU: a real-time thread would stop all other work";
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return errno == EPERM ? "not permitted, needs CAP_SYS_NICE or `ulimit -r 1`"
				      : strerror(errno);
	find_pause(&h->room.facts);
	return NULL;
}

static void raise_priority(struct hosted *h)
{
	struct scheduling *s = &h->scheduling;
	s->fifo_why = s->fifo_asked ? take_fifo(h) : NULL;
	s->fifo = s->fifo_asked && !s->fifo_why;
	s->autogroup = autogroup_read("");
	if (s->fifo) /* not in the group's share */
		return;
	setpriority(PRIO_PROCESS, 0, FIRST); /* the run line has what came of it */
	autogroup_set(&s->autogroup, "", FIRST);
}

int cpus_init(struct hosted *h, char *err, size_t err_bytes)
{
	cpu_set_t *set = allowed_cpus();
	unsigned cpu = (unsigned)h->opt->cpu;
	if (!set) {
		snprintf(err, err_bytes, "cannot find out which CPUs may be used: %s",
			strerror(errno));
		return -1;
	}
	bool usable = h->opt->cpu < MASK_CPUS && CPU_ISSET_S(cpu, MASK_BYTES, set);
	unsigned n = (unsigned)CPU_COUNT_S(MASK_BYTES, set);
	h->topology = calloc(n, sizeof(*h->topology));
	h->scheduling.cpu = cpu;
	if (!usable)
		snprintf(err, err_bytes,
			"cpu = '%llu': this process may not use that CPU, "
			"or there is none (%u usable)",
			(unsigned long long)h->opt->cpu, n);
	else if (pin_to(cpu))
		snprintf(err, err_bytes, "cannot pin to CPU %u: %s", cpu, strerror(errno));
	else if (!h->topology)
		snprintf(err, err_bytes, "no memory");
	else
		list_cpus(h, set);
	CPU_FREE(set);
	if (!h->room.facts.cpus)
		return -1;
	h->scheduling.pinned = true;
	h->scheduling.nice_at_start = getpriority(PRIO_PROCESS, 0);
	raise_priority(h);
	return 0;
}
