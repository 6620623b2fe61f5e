/* SPDX-License-Identifier: MIT */
/*
 * The entry of the image in anechoic.bz, from door/head.S: fills struct machine by the zero page of
 * the Linux/x86 boot protocol, without a call of a firmware, and calls the kernel. Afterwards it
 * starts the Linux of lib/way_back.h, if there is one.
 */
#include <string.h>

#include "door/door.h"
#include "lib/text.h"

#define ENTRY_64 0x200 /* from the head on */
#define CPU_FLAT 0x10  /* the boot protocol's code segment; data is the next */

#define APIC_BASE     0x1b
#define APIC_X2       (1U << 10)
#define ICR_X2        0x830
#define ICR           0x300
#define ALL_INIT      0xc4500   /* INIT to all processors but this one: SDM vol. 3A, 11.6.1 */
#define INIT_PATIENCE 100000000 /* TSC ticks: more than 10 ms */

static uint64_t cr0, cr4; /* as found */

/* By its number: boot.rst, type_of_loader. */
static const char *loader_name(void)
{
	static const char *const names[16] = { [0] = "of unknown name",
		[3] = "SYSLINUX",
		[4] = "iPXE",
		[7] = "GRUB",
		[11] = "QEMU",
		[13] = "kexec" };
	uint8_t number = given.zero_page[0x210];
	const char *name = names[number == 0xd ? 13 : number >> 4]; /* kexec-tools has no version */

	return name ? name : names[0];
}

static void print(const char *text, size_t n)
{
}

static bool display_take(void)
{
	return true;
}

static void display_give_back(void)
{
}

static unsigned key(void)
{
	return 0;
}

static uint64_t refuse(void)
{
	return 1ULL << 63 | 3; /* EFI_UNSUPPORTED */
}

static uint64_t watchdog(unsigned seconds)
{
	return refuse();
}

static unsigned cpus(void)
{
	return 1;
}

static uint32_t cpu_id(unsigned cpu)
{
	return UINT32_MAX;
}

static uint64_t cpu_start(unsigned cpu, void (*fn)(void *), void *arg)
{
	return refuse();
}

static bool cpu_done(unsigned cpu)
{
	return true;
}

static void reset(enum reset_kind kind)
{
}

static uint64_t rdmsr(uint32_t msr)
{
	uint64_t value = 0;

	found_msr(msr, &value);
	return value;
}

/* The other processors must not sleep in memory that is about to be somebody else's. */
static void stop_others(void)
{
	uint64_t base = rdmsr(APIC_BASE), since = __builtin_ia32_rdtsc();

	if (base & APIC_X2)
		__asm__ volatile("wrmsr" ::"c"(ICR_X2), "a"(ALL_INIT), "d"(0) : "memory");
	else
		*(volatile uint32_t *)((base & 0xffffff000) + ICR) = ALL_INIT;
	while (__builtin_ia32_rdtsc() - since < INIT_PATIENCE)
		__asm__ volatile("pause");
}

/* The boot protocol's segments, and a task: a Linux before this program leaves one of its own. */
static uint64_t gdt[6] = { 0, 0, 0x00af9a000000ffff, 0x00cf92000000ffff };
static struct {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed)) gdt_register = { sizeof gdt - 1, (uint64_t)gdt };

static void segments_open(void)
{
	static unsigned char task[104];
	uint64_t at = (uint64_t)task;

	gdt[4] = 0x890000000000 | (sizeof task - 1) | (at & 0xffffff) << 16 |
		(at >> 24 & 0xff) << 56;
	gdt[5] = at >> 32;
	__asm__ volatile("lgdt %0; ltr %w1" ::"m"(gdt_register), "r"(CPU_FLAT + 16));
}

/* Jump to a 64-bit entry of the boot protocol, in the state that this program was entered in. */
static void enter(uint64_t entry, uint64_t zero_page)
{
	__asm__ volatile(
		"cli\n"
		"lgdt %[table]\n"
		"mov %[root], %%cr3\n"
		"mov %[cr4], %%cr4\n"
		"mov %[cr0], %%cr0\n"
		"mov %[data], %%ds\n"
		"mov %[data], %%es\n"
		"mov %[data], %%fs\n"
		"mov %[data], %%gs\n"
		"mov %[data], %%ss\n"
		"push %[code]\n"
		"push %[entry]\n"
		"xor %%ebx, %%ebx\n"
		"xor %%ebp, %%ebp\n"
		"lretq" ::[table] "m"(gdt_register),
		[root] "r"(given.root), [cr4] "r"(cr4), [cr0] "r"(cr0), [data] "r"(CPU_FLAT + 8),
		[code] "r"((uint64_t)CPU_FLAT), [entry] "r"(entry), "S"(zero_page)
		: "memory");
	__builtin_unreachable();
}

/* Start this program again, with all that lib/way_back.h keeps. */
static void restart(void)
{
	stop_others();
	enter(given.program.base + ENTRY_64, (uint64_t)given.zero_page);
}

static void start_next(void)
{
	const struct way_back *way = given.way;
	struct setup_node *results = (void *)way->results;

	*results = (struct setup_node){ .type = WAY_BACK_TYPE, .bytes = (uint32_t)way->used };
	stop_others();
	enter(way->entry, way->zero_page);
}

/* Fill in the calls of a firmware: each refuses, or does nothing. */
static void calls_open(struct machine *m)
{
	m->print = print;
	m->display_take = display_take;
	m->display_give_back = display_give_back;
	m->key = key;
	m->watchdog = watchdog;
	m->cpus = cpus;
	m->cpu_id = cpu_id;
	m->cpu_start = cpu_start;
	m->cpu_done = cpu_done;
	m->reset = reset;
	m->home = HOME_UNKNOWN;
	m->home_folder = m->file_prefix = "";
	m->file_gap = " ";
	m->no_firmware = true;
	text_format(m->firmware_vendor, sizeof m->firmware_vendor, "none called");
}

static void way_open(struct machine *m)
{
	m->door = "linux-boot";
	text_format(m->loader, sizeof m->loader, "%s", loader_name());
	if (!given.way)
		return;
	text_format(m->after, sizeof m->after, "%s", given.way->after);
	m->next = "Linux";
	m->restart = restart;
}

void entry(const unsigned char *zero_page, uint64_t ticks, uint64_t program, uint64_t bytes,
	uint64_t *tables, uint64_t tables_bytes);

void entry(const unsigned char *zero_page, uint64_t ticks, uint64_t program, uint64_t bytes,
	uint64_t *tables, uint64_t tables_bytes)
{
	extern const char image_base[], image_end[] __attribute__((visibility("hidden")));
	static struct machine m;

	__asm__ volatile("mov %%cr0, %0; mov %%cr4, %1" : "=r"(cr0), "=r"(cr4));
	given.zero_page = zero_page;
	given.program = (struct span){ program, bytes };
	m.entry_ticks = ticks;
	m.image = (struct span){ (uint64_t)image_base, (size_t)(image_end - image_base) };
	segments_open();
	pages_open(tables, tables_bytes); /* the loader may have mapped this program alone */
	given.way = (struct way_back *)node_find(WAY_BACK_TYPE);
	if (given.way && given.way->version != WAY_BACK_VERSION)
		given.way = NULL;
	memory_open(&m);
	tables_open(&m);  /* ACPI, SMBIOS, display, clock, command line */
	calls_open(&m);   /* what a firmware would do */
	brought_open(&m); /* files and variables, if a Linux comes next */
	way_open(&m);
	found_open(&m); /* what was set before */
	kernel_main(&m);
	if (given.way)
		start_next();
	for (;;)
		__asm__ volatile("cli; hlt");
}
