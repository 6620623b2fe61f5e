/* SPDX-License-Identifier: MIT */
/* Puts room `hosted` together. */
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "linux/os_counters.h"
#include "linux/hosted.h"
#include "linux/mapping.h"
#include "linux/sysfs.h"
#include "linux/clocks.h"
#include "engine/claims.h"
#include "version.h"

volatile sig_atomic_t stop_signal;

static struct timed hosted_call(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	(void)room;
	return loop(args[0], args[1], args[2], args[3], args[4], args[5]);
}

static struct cpuid hosted_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;
	(void)room;
	__cpuid_count(leaf, subleaf, c.eax, c.ebx, c.ecx, c.edx);
	return c;
}

static uint64_t hosted_now(struct room *room)
{
	(void)room;
	return __rdtsc();
}

static uint64_t hosted_os_clock_ns(struct room *room)
{
	struct timespec t;
	(void)room;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool hosted_stop(struct room *room)
{
	return stop_signal || hosted_of(room)->output.error;
}

static uint64_t xcr0_now(struct room *room)
{
	uint32_t low, high;
	if (!(room->cpuid(room, 1, 0).ecx >> 27 & 1)) /* OSXSAVE */
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/* Hypervisors hide the revision; KVM then shows 1, which is not a revision of any processor. */
static void read_microcode(struct facts *f)
{
	char line[64];
	char *end;
	if (!read_line("/sys/devices/system/cpu/cpu0/microcode/version", line, sizeof(line)))
		return;
	unsigned long value = strtoul(line, &end, 0);
	f->microcode = (uint32_t)value;
	f->microcode_known = end != line && (value != 1 || !f->hypervisor[0]);
}

int facts_init(struct hosted *h, char *err, size_t err_bytes)
{
	struct facts *f = &h->room.facts;
	identity_hypervisor(&h->room, h->hypervisor);
	f->build = VERSION;
	f->hypervisor = h->hypervisor;
	f->emulated = identity_emulated(h->hypervisor);
	f->xcr0 = xcr0_now(&h->room);
	f->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	read_microcode(f);
	return tsc_init(h, err, err_bytes);
}

int hosted_open(struct hosted *h, const struct options *opt, char *err, size_t err_bytes)
{
	h->opt = opt;
	h->room.priv = h;
	h->room.began = hosted_now(&h->room);
	h->room.kind = ROOM_HOSTED;
	h->room.call = hosted_call;
	h->room.cpuid = hosted_cpuid;
	h->room.now = hosted_now;
	h->room.os_clock_ns = hosted_os_clock_ns;
	h->room.stop = hosted_stop;
	if (cpus_init(h, err, err_bytes) || facts_init(h, err, err_bytes) ||
		memory_init(h, err, err_bytes))
		return -1;
	untouched_init(h);
	events_init(h);
	threads_init(h);
	msr_init(h);
	remedies_init(h);
	requests_init(h);
	counts_init(h);
	system_init(h);
	clock_setting_apply(&h->clock, CPU_DIR, opt, h->topology, h->room.facts.cpus);
	h->room.controls[CONTROL_clock] = (struct control_answer){ "cpufreq", h->clock.not_set,
		h->clock.not_set ? h->clock.why : NULL };
	return 0;
}

void hosted_close(struct hosted *h)
{
	struct memory *m = &h->memory;
	if (h->room.remedy_end)
		h->room.remedy_end(&h->room);
	for (unsigned i = 0; i < SLOTS; i++)
		mapping_free(&m->slots[i]);
	for (unsigned i = 0; i < NODE_SLOTS; i++)
		mapping_free(&m->beside[i]);
	mapping_free(&m->untouched);
	if (m->code)
		munmap(m->code, m->code_bytes);
	if (h->room.work)
		munmap(h->room.work, h->room.work_bytes);
	counters_close(&h->counters);
	counts_close();
	clock_setting_restore(&h->clock);
	if (h->msr_fd >= 0)
		close(h->msr_fd);
	free(h->topology);
	free(h->workers);
	h->room.work = NULL;
}
