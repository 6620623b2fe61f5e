/* SPDX-License-Identifier: MIT */
/*
 * Fault injection, for tests of what follows a fault: build/provoking.efi is the image with this
 * file in it. The linker's --wrap (rules.mk) puts these functions in front of the image's own.
 * Three keys of anechoic.cfg that only this image knows, a line each at the start of a line:
 *
 *	provoke_firmware = FAULT    in room firmware, after PROVOKE_ROWS rows of it:
 *		pf|ud|gp|de|nx|stack|df|ensure   this is raised
 *		hang                             the next row never ends
 *		cpu                              the last CPU never answers, in either room
 *	provoke_bare = FAULT        the same in room bare
 *	provoke_step = NAME         that step never ends, once it is noted
 */
#include <string.h>

#include "kernel/config.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/fault.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"
#include "kernel/smp/processors.h"
#include "lib/ensure.h"
#include "lib/result_keys.h"
#include "lib/result_line.h"

#define PROVOKE_ROWS 2 /* so that there is something to lose */
#define CONFIG_BYTES (64 * 1024)
#define FAILED       (1ULL << 63 | 7) /* EFI_DEVICE_ERROR */

enum fault {
	FAULT_PF,
	FAULT_UD,
	FAULT_GP,
	FAULT_DE,
	FAULT_NX,
	FAULT_STACK,
	FAULT_DF,
	FAULT_ENSURE,
	FAULT_CPU,
	FAULT_HANG,
	FAULTS
};

static const char *const names[FAULTS] = { "pf", "ud", "gp", "de", "nx", "stack", "df", "ensure",
	"cpu", "hang" };

/* A room's fault, and how many of its rows are measured. */
static struct {
	const char *room, *key;
	enum fault fault; /* FAULTS: none */
	unsigned rows;
} provoked[] = {
	{ "firmware", "provoke_firmware", FAULTS, 0 },
	{ "bare", "provoke_bare", FAULTS, 0 },
};
#define PROVOKED (sizeof provoked / sizeof provoked[0])

static char hanging_step[20]; /* "": none */

/* Endless recursion; the volatile array gives each call a frame. */
static __attribute__((noinline)) uint64_t recurse(uint64_t depth)
{
	volatile uint64_t frame[64];

	frame[depth % 64] = depth;
	if (depth == UINT64_MAX)
		return 0;
	return recurse(depth + 1) + frame[(depth + 1) % 64];
}

static void execute_data(void)
{
	static unsigned char data[16] = { 0xc3 };

	((void (*)(void))(uintptr_t)data)();
}

/* A page fault on a stack that is not mapped, which cannot be delivered without an IST stack. */
static void double_fault(void)
{
	uint64_t guard = address_space.layout.stack[0].base;

	boot_cpu.descriptors.idt[14][0] &=
		~(7ULL << 32); /* #PF on the current stack, as if it had no IST */
	__asm__ volatile("mov %0, %%rsp; push %%rax; push %%rax" ::"r"(guard) : "memory");
}

static void raise_fault(enum fault what)
{
	switch (what) {
	case FAULT_CPU:
	case FAULT_HANG:
	case FAULTS:
		return;
	case FAULT_PF:
		__asm__ volatile("movl $1, 8" ::: "memory");
		break;
	case FAULT_UD:
		__asm__ volatile("ud2");
		break;
	case FAULT_GP:
		__asm__ volatile("movabs 0x8000000000000000, %%al" ::: "rax", "memory");
		break;
	case FAULT_DE:
		__asm__ volatile("xor %%ecx, %%ecx; div %%ecx" ::: "eax", "ecx", "edx");
		break;
	case FAULT_NX:
		execute_data();
		break;
	case FAULT_STACK:
		recurse(0);
		break;
	case FAULT_DF:
		double_fault();
		break;
	case FAULT_ENSURE:
		break;
	}
	ensure(what != FAULT_ENSURE);
}

static bool is_last(uint32_t apic_id)
{
	bool silent = provoked[0].fault == FAULT_CPU || provoked[1].fault == FAULT_CPU;

	return silent && apic_id == processors.list[processors.n - 1].id;
}

/* kernel/smp/apic.h */
void __real_apic_send_sipi(uint32_t id, uint64_t page);
void __wrap_apic_send_sipi(uint32_t id, uint64_t page)
{
	if (!is_last(id))
		__real_apic_send_sipi(id, page);
}

/* kernel/firmware/firmware_calls.h; cpu: as the firmware numbers them. */
uint64_t __real_firmware_cpu_start(unsigned cpu, void (*fn)(void *), void *arg);
uint64_t __wrap_firmware_cpu_start(unsigned cpu, void (*fn)(void *), void *arg)
{
	if (is_last(((struct processor *)arg)->id))
		return FAILED;
	return __real_firmware_cpu_start(cpu, fn, arg);
}

/* kernel/dashboard/dashboard.h: for each line of the result, n bytes at the end of the text. */
void __real_dashboard_line(const char *text, size_t bytes, size_t n);
void __wrap_dashboard_line(const char *text, size_t bytes, size_t n)
{
	struct line line = { text + bytes - n, n };

	__real_dashboard_line(text, bytes, n);
	if (line_kind(line) != LINE_ROW)
		return;
	for (size_t i = 0; i < PROVOKED; i++)
		if (line_is(line, KEY_ROOM, provoked[i].room) && ++provoked[i].rows == PROVOKE_ROWS)
			raise_fault(provoked[i].fault);
}

/* The same, when a row begins. */
void __real_dashboard_progress(const char *text, size_t n, double part);
void __wrap_dashboard_progress(const char *text, size_t n, double part)
{
	__real_dashboard_progress(text, n, part);
	for (size_t i = 0; i < PROVOKED; i++)
		while (provoked[i].fault == FAULT_HANG && provoked[i].rows >= PROVOKE_ROWS)
			halt();
}

/* kernel/journal.h */
void __real_step_enter(const char *name);
void __wrap_step_enter(const char *name)
{
	__real_step_enter(name);
	while (strcmp(name, hanging_step) == 0)
		halt();
}

/* Returns true if `line` is "key = value" with this value of one of our keys. */
static bool is(const char *line, size_t n, const char *key, const char *value)
{
	size_t k = strlen(key), v = strlen(value);

	return n == k + 3 + v && !memcmp(line, key, k) && !memcmp(line + k, " = ", 3) &&
		!memcmp(line + k + 3, value, v);
}

/* kernel/config.h: takes the keys out of the file: the image's parser does not know them. */
void __real_config_parse(struct config *, const struct text *file, const struct text *words,
	void (*say)(const char *line));
void __wrap_config_parse(struct config *c, const struct text *file, const struct text *words,
	void (*say)(const char *line))
{
	static char copy[CONFIG_BYTES];
	struct text without = *file;

	for (size_t at = 0, n; at < file->bytes && file->bytes < CONFIG_BYTES; at += n + 1) {
		const char *line = (const char *)file->data + at;

		for (n = 0; at + n < file->bytes && line[n] != '\n';)
			n++;
		memcpy(copy + at, line, n + (at + n < file->bytes));
		if (n < 7 || memcmp(line, "provoke", 7))
			continue;
		copy[at] = '#';
		if (n > 15 && n - 15 < sizeof hanging_step && !memcmp(line, "provoke_step = ", 15))
			memcpy(hanging_step, line + 15, n - 15);
		for (size_t i = 0; i < PROVOKED * FAULTS; i++)
			if (is(line, n, provoked[i / FAULTS].key, names[i % FAULTS]))
				provoked[i / FAULTS].fault = i % FAULTS;
	}
	if (file->bytes < CONFIG_BYTES && file->data)
		without.data = (const unsigned char *)copy;
	__real_config_parse(c, &without, words, say);
}
