/* SPDX-License-Identifier: MIT */
/* Room `hosted`, assembled; how the process gets its CPU to itself, and gives it back. */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <stdint.h>

#include "engine/claims.h"
#include "linux/abandon.h"
#include "linux/clocks.h"
#include "linux/hosted.h"
#include "linux/report/allocate.h"
#include "linux/sysfs.h"
#include "version.h"

/*
 * The group of a session's processes (sched_autogroup, man 7 sched "The autogroup feature"). If
 * Linux groups sessions, each session with work has the same share of a CPU, and the nice values of
 * its processes count within the group only. The group has a nice value of its own, which this code
 * sets. All processes of the session share it, so it gets its old value back.
 */

#define PATH_BYTES 256
#define GROUP      "/proc/self/autogroup" /* "/autogroup-11 nice 0" */
#define ENABLED    "/proc/sys/kernel/sched_autogroup_enabled"
#define BETWEEN_NS                                                                                 \
	110000000 /* between two changes without CAP_SYS_ADMIN: kernel/sched/autogroup.c */

static void path_of(const char *root, const char *file, char out[PATH_BYTES])
{
	snprintf(out, PATH_BYTES, "%s%s", root, file);
}

/* Read the group's state from the files below `root` ("": /proc). */
static struct autogroup autogroup_read(const char *root)
{
	struct autogroup g = { 0 };
	char path[PATH_BYTES], line[64];
	uint64_t enabled;
	path_of(root, ENABLED, path);
	if (!read_number(path, &enabled) || !enabled)
		return g;
	path_of(root, GROUP, path);
	g.on = read_line(path, line, sizeof(line)) &&
		sscanf(line, "/autogroup-%*d nice %d", &g.nice) == 1;
	g.nice_at_start = g.nice;
	return g;
}

/*
 * Give the group a nice value, and wait a tenth of a second if Linux demands that between two
 * changes. Does nothing if there is no group. Returns 0; or -1 with `why` and errno.
 */
static int autogroup_set(struct autogroup *g, const char *root, int nice)
{
	struct timespec between = { .tv_nsec = BETWEEN_NS };
	char path[PATH_BYTES], text[16], before[16];
	if (!g->on || g->nice == nice)
		return 0;
	path_of(root, GROUP, path);
	snprintf(text, sizeof(text), "%d", nice);
	snprintf(before, sizeof(before), "%d", g->nice);
	keeper_note(path, before);
	int failed = write_line(path, text);
	if (failed && errno == EAGAIN && !nanosleep(&between, NULL))
		failed = write_line(path, text);
	*g->why = '\0';
	if (!failed)
		g->nice = nice;
	else if (errno == EPERM || errno == EACCES)
		snprintf(g->why, sizeof(g->why), "not permitted, needs CAP_SYS_NICE");
	else
		snprintf(g->why, sizeof(g->why), "%s", strerror(errno));
	return failed;
}

/* The list of processors; pinning to one of them with priority over others' work. */

#define MASK_CPUS  8192 /* Linux's largest NR_CPUS; the list itself is as long as needed */
#define MASK_BYTES CPU_ALLOC_SIZE(MASK_CPUS)

/* The CPUs that this process may use; the caller frees the set by CPU_FREE. NULL with errno. */
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

static struct cpuid cpuid_here(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c;
	__cpuid_count(leaf, subleaf, c.eax, c.ebx, c.ecx, c.edx);
	return c;
}

/* If CPUID tells types of cores, ask it on each CPU, and come back to the measuring one. */
static void find_core_types(struct hosted *h)
{
	if (!cpuid_core_type(cpuid_here))
		return;
	for (unsigned i = h->room.facts.cpus; i-- > 0;)
		if (!pin_to(h->topology[i].id))
			h->topology[i].core_type = cpuid_core_type(cpuid_here);
}

/* List the measuring CPU first, then the others in Linux's order. */
static void list_cpus(struct hosted *h, const cpu_set_t *set)
{
	unsigned n = 1;
	h->topology[0] = cpu_location_read("", h->scheduling.cpu);
	for (unsigned cpu = 0; cpu < MASK_CPUS; cpu++)
		if (cpu != h->scheduling.cpu && CPU_ISSET_S(cpu, MASK_BYTES, set))
			h->topology[n++] = cpu_location_read("", cpu);
	h->room.facts.cpus = n;
	h->room.facts.topology = h->topology;
	find_core_types(h);
}

#define FIFO_PRIORITY 1 /* above all ordinary threads, below other real-time ones */

/*
 * Find the pauses of a real-time thread that never sleeps: Linux stops it for others, before 6.12
 * in every period, since then only while an ordinary thread starves ("sched/rt: Remove default
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

/*
 * Become a real-time thread; threads that we start are ordinary (RESET_ON_FORK). Returns NULL, or
 * why it was refused.
 */
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
	if (s->fifo) /* the group's share does not apply */
		return;
	setpriority(PRIO_PROCESS, 0, FIRST); /* the run line reports the outcome */
	autogroup_set(&s->autogroup, "", FIRST);
}

/* The parts, which hosted_open calls in this order. */
static int cpus_init(struct hosted *h, char *err, size_t err_bytes)
{
	cpu_set_t *set = allowed_cpus();
	unsigned cpu = (unsigned)h->opt->cpu;
	if (!set) {
		snprintf(err, err_bytes, "cannot find out which CPUs may be used: %s",
			strerror(errno));
		return -1;
	}
	/* The inherited affinity is no limit: with isolcpus it lacks CPUs that may be used. */
	int refused = h->opt->cpu >= MASK_CPUS ? EINVAL : pin_to(cpu) ? errno : 0;
	if (!refused)
		CPU_SET_S(cpu, MASK_BYTES, set);
	unsigned n = (unsigned)CPU_COUNT_S(MASK_BYTES, set);
	h->topology = calloc(n, sizeof(*h->topology));
	h->scheduling.cpu = cpu;
	if (refused == EINVAL)
		snprintf(err, err_bytes,
			"cpu = '%llu': this process may not use that CPU, "
			"or there is none (%u usable)",
			(unsigned long long)h->opt->cpu, n);
	else if (refused)
		snprintf(err, err_bytes, "cannot pin to CPU %u: %s", cpu, strerror(refused));
	else if (!h->topology)
		snprintf(err, err_bytes, "no memory");
	else
		list_cpus(h, set);
	CPU_FREE(set);
	if (!h->room.facts.cpus)
		return -1;
	h->scheduling.nice_at_start = getpriority(PRIO_PROCESS, 0);
	raise_priority(h);
	return 0;
}

/*
 * Linux's remedies against noise, for some milliseconds at a time, and their end
 * (room.system.remedy).
 *
 * A real-time thread stops all ordinary work of its processor. Here it runs for 20 ms at most, then
 * gives way, so that it meets neither the limit of sched_rt_runtime_us (950 ms of each second,
 * before Linux 6.12 in force even if nobody else waits) nor another thread's patience.
 */

#define IRQ_DIR "/proc/irq"

static int refuse(struct remedies *r, const char *name, const char *grants)
{
	if (errno == EPERM || errno == EACCES)
		snprintf(r->why, sizeof(r->why), "%s: not permitted, needs %s", name, grants);
	else
		snprintf(r->why, sizeof(r->why), "%s: %s", name, strerror(errno));
	return -1;
}

/* Find out if this thread is where it was put: a cpuset that changes moves it for good. */
static bool hosted_stayed(struct room *room, const char **why)
{
	NOT_ABANDONED;
	struct scheduling *s = &hosted_of(room)->scheduling;
	int now = sched_getcpu();
	if (now < 0 || (unsigned)now == s->cpu)
		return true;
	snprintf(s->moved, sizeof(s->moved), "Linux moved this run from CPU %u to CPU %d%s", s->cpu,
		now, pin_to(s->cpu) ? ", and it may not go back" : "");
	*why = s->moved;
	return false;
}

/* Unpin: allow all the CPUs that the process had when it began. */
static int unpin(const struct hosted *h)
{
	unsigned most = 0;
	for (unsigned i = 0; i < h->room.facts.cpus; i++)
		most = h->topology[i].id > most ? h->topology[i].id : most;
	cpu_set_t *set = CPU_ALLOC(most + 1);
	size_t bytes = CPU_ALLOC_SIZE(most + 1);
	if (!set)
		return -1;
	CPU_ZERO_S(bytes, set);
	for (unsigned i = 0; i < h->room.facts.cpus; i++)
		CPU_SET_S(h->topology[i].id, bytes, set);
	int failed = sched_setaffinity(0, bytes, set);
	CPU_FREE(set);
	return failed;
}

/* Set the policy. A process without privileges cannot take SCHED_RESET_ON_FORK back: it stays. */
static int set_policy(int policy)
{
	int now = sched_getscheduler(0);
	bool real_time = (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
	struct sched_param param = { .sched_priority = real_time };
	if (now < 0)
		return -1;
	policy |= now & SCHED_RESET_ON_FORK;
	return policy == now ? 0 : sched_setscheduler(0, policy, &param);
}

/*
 * Set the nice value of the thread, and of its session's group: FIRST if this is FIRST, else its
 * old value.
 */
static int set_nice(struct hosted *h, int nice)
{
	struct autogroup *g = &h->scheduling.autogroup;
	if (getpriority(PRIO_PROCESS, 0) != nice && setpriority(PRIO_PROCESS, 0, nice))
		return -1;
	return autogroup_set(g, "", nice == FIRST ? FIRST : g->nice_at_start);
}

/* Hold signals back: one that ended the process now would leave turbo off, or interrupts moved. */
static void hold_signals(struct remedies *r)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, &r->signals);
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

/* All CPUs but the measuring one, as Linux lists them: "0,2-5". The caller frees it. */
static char *other_cpus(const struct hosted *h)
{
	unsigned n = 0, *ids = new_array(h->room.facts.cpus, sizeof(*ids));
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);
	for (unsigned i = 0; i < h->room.facts.cpus; i++)
		if (h->topology[i].id != h->scheduling.cpu)
			ids[n++] = h->topology[i].id;
	qsort(ids, n, sizeof(*ids), ascending);
	for (unsigned i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && ids[end] == ids[end - 1] + 1; end++)
			;
		fprintf(out, end - i > 1 ? "%s%u-%u" : "%s%u", i ? "," : "", ids[i], ids[end - 1]);
	}
	fclose(out);
	free(ids);
	return text;
}

/*
 * Move interrupts of devices away from the measuring CPU. Some cannot be moved; returns 0 if any
 * could.
 */
static int move_irqs(struct hosted *h, const char *dir)
{
	struct remedies *r = &h->remedies;
	char *others = other_cpus(h), path[PATH_MAX];
	DIR *irqs = opendir(dir);
	bool any = false, here;
	snprintf(r->irqs.why, sizeof(r->irqs.why), "no interrupt comes to CPU %u",
		h->scheduling.cpu);
	for (struct dirent *e = irqs ? readdir(irqs) : NULL; e; e = readdir(irqs)) {
		snprintf(path, sizeof(path), "%s/%s/smp_affinity_list", dir, e->d_name);
		if (*e->d_name != '.' && read_list_has(path, h->scheduling.cpu, &here) && here)
			any |= clock_setting_change(&r->irqs, path, others);
	}
	if (irqs)
		closedir(irqs);
	free(others);
	if (!any)
		snprintf(r->why, sizeof(r->why), "%.95s", r->irqs.why);
	return any ? 0 : -1;
}

static void keep(struct remedies *r)
{
	if (r->kept)
		return;
	r->policy = sched_getscheduler(0);
	r->nice = getpriority(PRIO_PROCESS, 0);
	pthread_sigmask(SIG_SETMASK, NULL, &r->signals);
	r->turbo = r->irqs = (struct clock_setting){ 0 };
	r->kept = true;
}

static int apply(struct hosted *h, uint32_t remedies)
{
	struct remedies *r = &h->remedies;
	bool fifo = remedies & REMEDY_FIFO, first = remedies & REMEDY_NICE;
	if (h->room.facts.cpus < 2 && remedies & (REMEDY_PINNED | REMEDY_FIFO | REMEDY_IRQS)) {
		snprintf(r->why, sizeof(r->why), "%s",
			fifo ? "only one CPU: a real-time thread would stop all other work"
				: remedies & REMEDY_IRQS
				? "only one CPU: interrupts have nowhere else to go"
				: "only one CPU: it is pinned in any case");
		return -1;
	}
	if (remedies & REMEDY_PINNED ? pin_to(h->scheduling.cpu) : unpin(h))
		return refuse(r, "affinity", "these CPUs in its cpuset");
	if (set_policy(fifo ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER))
		return refuse(r, "SCHED_FIFO", "CAP_SYS_NICE or `ulimit -r 1`");
	if (set_nice(h, first ? FIRST : h->scheduling.nice_at_start))
		return refuse(r, "nice -20", "CAP_SYS_NICE or `ulimit -e 40`");
	if (remedies & (REMEDY_NO_TURBO | REMEDY_IRQS))
		hold_signals(r);
	if (remedies & REMEDY_IRQS && move_irqs(h, IRQ_DIR))
		return -1;
	if (!(remedies & REMEDY_NO_TURBO))
		return 0;
	if (clock_setting_no_turbo(&r->turbo, CPU_DIR))
		return 0;
	snprintf(r->why, sizeof(r->why), "%.95s", r->turbo.why);
	return -1;
}

/* End the remedies in the opposite order. Old settings can be set again. */
static void hosted_remedy_end(struct room *room)
{
	NOT_ABANDONED;
	struct hosted *h = hosted_of(room);
	struct remedies *r = &h->remedies;
	if (!r->kept)
		return;
	unsigned lost = clock_setting_restore(&r->turbo) + clock_setting_restore(&r->irqs);
	pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
	lost += set_nice(h, r->nice) != 0;
	lost += set_policy(r->policy) != 0;
	lost += pin_to(h->scheduling.cpu) != 0;
	r->kept = false;
	if (lost)
		hosted_note(h,
			"note: %u setting(s) of this process, turbo or interrupts did not come "
			"back\n",
			lost);
}

static int hosted_remedy(struct room *room, uint32_t remedies, const char **why)
{
	NOT_ABANDONED;
	struct hosted *h = hosted_of(room);
	hosted_remedy_end(room);
	keep(&h->remedies);
	if (!apply(h, remedies))
		return 0;
	hosted_remedy_end(room);
	*why = h->remedies.why;
	return -1;
}

static void remedies_init(struct hosted *h)
{
	h->room.system.remedy = hosted_remedy;
	h->room.system.remedy_end = hosted_remedy_end;
	if (sched_getcpu() == (int)h->scheduling.cpu) /* a sandbox may make the number up */
		h->room.system.stayed = hosted_stayed;
}

/* A thread for each call on another processor, pinned before it begins. */
static void *worker_main(void *arg)
{
	struct worker *w = arg;
	w->failed = pin_to(w->cpu) != 0;
	if (!w->failed)
		w->failed =
			abandon_call(w->fn, w->arg) || (w->looks && sched_getcpu() != (int)w->cpu);
	return NULL;
}

static struct worker *worker_of(struct room *room, unsigned cpu)
{
	struct hosted *h = hosted_of(room);
	return cpu > 0 && cpu < room->facts.cpus ? &h->workers[cpu] : NULL;
}

static int hosted_run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	NOT_ABANDONED;
	struct worker *w = worker_of(room, cpu);
	if (!w || w->running)
		return -1;
	*w = (struct worker){ .cpu = room->facts.topology[cpu].id,
		.looks = room->system.stayed,
		.fn = fn,
		.arg = arg };
	w->running = pthread_create(&w->thread, NULL, worker_main, w) == 0;
	return w->running ? 0 : -1;
}

#define LOOK_NS 20000000 /* between two looks at whether to wait any longer */

/* Wait for a worker; if this thread's own work is to be abandoned, so is the worker's. */
static int hosted_run_wait(struct room *room, unsigned cpu)
{
	NOT_ABANDONED;
	struct worker *w = worker_of(room, cpu);
	struct timespec until;
	int failed;
	if (!w || !w->running)
		return -1;
	do {
		if (abandon_due())
			abandon_thread(w->thread);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		failed = pthread_timedjoin_np(w->thread, NULL, &until);
	} while (failed == ETIMEDOUT);
	w->running = false;
	return failed || w->failed ? -1 : 0;
}

/* Workers left behind would go on in memory that is given back. */
static int hosted_abandonable(struct room *room, void (*fn)(void *), void *arg)
{
	if (!abandon_call(fn, arg))
		return 0;
	for (unsigned cpu = 1; cpu < room->facts.cpus && hosted_of(room)->workers; cpu++)
		hosted_run_wait(room, cpu);
	return -1;
}

static void threads_init(struct hosted *h)
{
	h->workers = calloc(h->room.facts.cpus, sizeof(*h->workers));
	if (!h->workers)
		return; /* no other processor is usable: rows that need one are skipped */
	h->room.run_on = hosted_run_on;
	h->room.run_wait = hosted_run_wait;
}

/*
 * Read a model-specific register by the kernel's module `msr` (msr(4)): root only; reading one that
 * the processor does not have fails with EIO.
 */
static int read_msr(struct room *room, uint32_t msr, uint64_t *value)
{
	ssize_t n = pread(hosted_of(room)->msr_fd, value, sizeof(*value), msr);
	return n == sizeof(*value) ? 0 : -1;
}

static void msr_init(struct hosted *h)
{
	char path[32];
	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", h->scheduling.cpu);
	h->msr_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (h->msr_fd >= 0) {
		h->room.read_msr = read_msr;
		return;
	}
	snprintf(h->msr_why, sizeof(h->msr_why), "%s: %s", path, strerror(errno));
	h->room.msr_why = h->msr_why;
}

static struct timed hosted_call(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	return loop(args[0], args[1], args[2], args[3], args[4], args[5]);
}

static struct cpuid hosted_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return cpuid_here(leaf, subleaf);
}

static uint64_t hosted_now(struct room *room)
{
	return __rdtsc();
}

static uint64_t hosted_os_clock_ns(struct room *room)
{
	struct timespec t;
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

/*
 * Read the microcode's revision. Hypervisors hide it; KVM then shows 1, which is not a revision of
 * any processor.
 */
static void read_microcode(struct facts *f)
{
	char line[64];
	char *end;
	if (!read_line(CPU_DIR "cpu0/microcode/version", line, sizeof(line)))
		return;
	unsigned long value = strtoul(line, &end, 0);
	f->microcode = (uint32_t)value;
	f->microcode_known = end != line && (value != 1 || !f->hypervisor[0]);
}

/* Find out if a split lock raises an exception: Linux logs it, and delays or ends the process. */
static void read_split_locks(struct facts *f)
{
	char *flags = keyed_line("/proc/cpuinfo", "flags");
	f->split_locks_trapped =
		flags && (strstr(flags, " split_lock_detect") || strstr(flags, " bus_lock_detect"));
	free(flags);
}

static int facts_init(struct hosted *h, char *err, size_t err_bytes)
{
	struct facts *f = &h->room.facts;
	identity_hypervisor(&h->room, h->hypervisor);
	f->build = VERSION;
	f->hypervisor = h->hypervisor;
	f->emulated = identity_emulated(h->hypervisor);
	f->xcr0 = xcr0_now(&h->room);
	f->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	read_microcode(f);
	read_split_locks(f);
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
	h->room.system.os_clock_ns = hosted_os_clock_ns;
	h->room.stop = hosted_stop;
	h->room.abandonable = hosted_abandonable;
	if (cpus_init(h, err, err_bytes) || facts_init(h, err, err_bytes) ||
		memory_init(h, err, err_bytes))
		return -1;
	counters_init(h);
	threads_init(h);
	msr_init(h);
	remedies_init(h);
	guard_init(h);
	requests_init(h);
	system_init(h);
	clock_setting_apply(&h->clock, CPU_DIR, opt, h->topology, h->room.facts.cpus);
	h->room.controls[CONTROL_clock] = (struct control_answer){ "cpufreq", h->clock.not_set,
		h->clock.not_set ? h->clock.why : NULL };
	return 0;
}

void hosted_close(struct hosted *h)
{
	struct hosted_memory *m = &h->memory;
	if (h->room.system.remedy_end)
		h->room.system.remedy_end(&h->room);
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
	clock_setting_restore(&h->clock);
	autogroup_set(&h->scheduling.autogroup, "", h->scheduling.autogroup.nice_at_start);
	keeper_done();
	if (h->msr_fd >= 0)
		close(h->msr_fd);
	cgroup_limits_free(&h->limits);
	free(h->topology);
	free(h->workers);
	h->room.work = NULL;
}
