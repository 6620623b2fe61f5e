/* SPDX-License-Identifier: MIT */
#include <asm/bootparam.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/way_back.h"
#include "linux/boot/kexec.h"
#include "linux/boot/send.h"
#include "linux/boot/whole_file.h"
#include "linux/report/allocate.h"
#include "linux/sysfs.h"

#define PAGE 4096ULL
#define MIB  (1ULL << 20)

#define HDRS         0x53726448
#define ENTRY_64     0x200
#define LOADER_KEXEC 0xd0       /* type_of_loader of kexec_file_load */
#define LOWEST       (16 * MIB) /* below it devices and firmware may write */
#define LEAST_LEFT   (160 * MIB)
#define RESULTS_MOST (64 * MIB)

#define MEMMAP "/sys/firmware/memmap/"
#define PARAMS "/sys/kernel/boot_params/data"
#define EFI    "/sys/firmware/efi/"

enum { INITRD, KERNEL, RESULTS, IMAGE, TABLES }; /* pieces, from the top of the memory down */

/* --- what the system says --- */

static int refused(char *err, const char *why)
{
	return give_reason(err, "%s; `anechoic boot` is the other way", why);
}

/* Guests of KVM hold a reference each. */
static bool guests_run(void)
{
	uint64_t intel = 0, amd = 0;

	read_number("/sys/module/kvm_intel/refcnt", &intel);
	read_number("/sys/module/kvm_amd/refcnt", &amd);
	return intel + amd;
}

int kexec_allowed(char *err)
{
	uint64_t disabled = 0, limit = 1, loaded = 0;
	char *lockdown = file_line("/sys/kernel/security/lockdown");
	bool locked = lockdown && strcmp(chosen_word(lockdown), "none");

	free(lockdown);
	if (geteuid())
		return give_reason(err, "only root can load a kernel");
	if (access("/sys/kernel/kexec_loaded", F_OK))
		return refused(err, "this Linux was built without kexec");
	if (locked)
		return refused(err,
			"Linux is locked down, as under Secure Boot: it starts no program "
			"by kexec_load that nobody signed");
	if (read_number("/proc/sys/kernel/kexec_load_disabled", &disabled) && disabled)
		return refused(err, "kernel.kexec_load_disabled is set, until the next restart");
	if (read_number("/proc/sys/kernel/kexec_load_limit_reboot", &limit) && !limit)
		return refused(err, "kernel.kexec_load_limit_reboot is used up");
	if (read_number("/sys/kernel/kexec_loaded", &loaded) && loaded)
		return give_reason(err, "a kernel is loaded for kexec already: kexec -u");
	if (guests_run())
		return give_reason(err, "guests of KVM run here, and would end: stop them first");
	return 0;
}

/* --- memory --- */

struct memory_range {
	uint64_t base, end;
	uint32_t type;
};

struct memory_list {
	struct memory_range *all;
	size_t n;
};

static void list_add(struct memory_list *l, uint64_t base, uint64_t end, uint32_t type)
{
	l->all = resize(l->all, (l->n + 1) * sizeof(*l->all));
	l->all[l->n++] = (struct memory_range){ base, end, type };
}

/* The memory that Linux itself uses, without what it keeps for its firmware. */
static void list_system_ram(struct memory_list *l)
{
	FILE *f = fopen("/proc/iomem", "r");
	uint64_t base, end;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (*line != ' ' && strstr(line, ": System RAM") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, &base, &end) == 2 && end)
			list_add(l, base, end + 1, 1);
	if (f)
		fclose(f);
}

static uint32_t type_of(const char *name)
{
	static const char *const names[] = { "", "System RAM", "Reserved", "ACPI Tables",
		"ACPI Non-volatile Storage", "Unusable memory", "", "Persistent Memory" };

	for (uint32_t i = 1; i < sizeof(names) / sizeof(*names); i++)
		if (*names[i] && !strcasecmp(name, names[i]))
			return i;
	return 2;
}

static bool read_hex(const char *folder, const char *name, uint64_t *out)
{
	char path[PATH_MAX], line[64];

	return read_line(path_of(path, folder, name), line, sizeof(line)) &&
		sscanf(line, "%" SCNx64, out) == 1;
}

/* The firmware's map, as Linux got it; ram false: without the memory that is free. */
static void list_firmware(struct memory_list *l, bool ram)
{
	char path[PATH_MAX], type[64];
	uint64_t base, end;
	glob_t found;

	if (glob(MEMMAP "*", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *folder = found.gl_pathv[i];

		if (!read_hex(folder, "start", &base) || !read_hex(folder, "end", &end) ||
			!read_line(path_of(path, folder, "type"), type, sizeof(type)))
			continue;
		if (ram || type_of(type) != 1)
			list_add(l, base, end + 1, type_of(type));
	}
	globfree(&found);
}

static uint64_t up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & -align;
}

/* Place all pieces from the end of the range down. Returns true if they fit above LOWEST. */
static bool fit(struct kexec_plan *p, const struct memory_range *r)
{
	uint64_t at = r->end & -PAGE, low = r->base < LOWEST ? LOWEST : r->base;

	for (int i = 0; i < KEXEC_PIECES; i++) {
		struct kexec_piece *piece = &p->piece[i];

		if (at < low + piece->bytes)
			return false;
		piece->at = at = (at - piece->bytes) & -piece->align;
	}
	return at >= low;
}

static int choose_memory(struct kexec_plan *p, const struct memory_list *ram, char *err)
{
	uint64_t wanted = 0, all = 0, limit = 4ULL << 30;
	bool fits = false;

	for (int i = 0; i < KEXEC_PIECES; i++)
		wanted += p->piece[i].bytes + p->piece[i].align;
	for (size_t i = 0; i < ram->n; i++)
		all += ram->all[i].end - ram->all[i].base;
	for (size_t i = ram->n; i-- > 0 && !fits;) {
		struct memory_range r = ram->all[i];

		r.end = r.end < limit ? r.end : limit;
		fits = r.base < r.end && fit(p, &r);
	}
	p->left = all > wanted ? all - wanted : 0;
	if (!ram->n)
		return give_reason(err, "/proc/iomem does not show where the memory is");
	if (!fits || p->left < LEAST_LEFT)
		return give_reason(err,
			"too little memory: %u MiB are wanted in one piece below 4 GiB, and %u MiB "
			"to be "
			"measured",
			(unsigned)(wanted / MIB + 1), (unsigned)(LEAST_LEFT / MIB));
	return 0;
}

/* --- the tables: one buffer, whose place in physical memory is known --- */

#define TABLES_BYTES (256 * 1024)

struct tables {
	unsigned char *data;
	uint64_t at;
	size_t used;
};

static void *table_take(struct tables *t, size_t n, uint64_t *at)
{
	void *data = t->data + t->used;

	*at = t->at + t->used;
	t->used = up(t->used + n, PAGE);
	if (t->used > TABLES_BYTES)
		abort(); /* the parts have limits: this cannot be */
	return data;
}

#define ENTRIES_MOST 2048 /* of a memory map; more are dropped */

/* Write the memory map: up to 128 entries into the zero page, the others into a node. */
static void put_map(struct tables *t, struct boot_params *zero, const struct memory_list *l)
{
	struct setup_node *node = NULL;
	struct boot_e820_entry *to = zero->e820_table;
	uint64_t at;

	for (size_t i = 0; i < l->n && i < ENTRIES_MOST; i++) {
		if (i == E820_MAX_ENTRIES_ZEROPAGE) {
			node = table_take(t, sizeof(*node) + (ENTRIES_MOST - i) * sizeof(*to), &at);
			node->next = zero->hdr.setup_data;
			node->type = SETUP_E820_EXT;
			zero->hdr.setup_data = at;
			to = (struct boot_e820_entry *)(node + 1);
		}
		*to++ = (struct boot_e820_entry){ l->all[i].base, l->all[i].end - l->all[i].base,
			l->all[i].type };
		if (node)
			node->bytes += (uint32_t)sizeof(*to);
		else
			zero->e820_entries++;
	}
}

static void put_command(struct tables *t, struct boot_params *zero, const char *line)
{
	uint64_t at;

	strcpy(table_take(t, strlen(line) + 1, &at), line);
	zero->hdr.cmd_line_ptr = (uint32_t)at;
}

/* A line of /sys/firmware/efi/systab: "ACPI20=0x7fb7e014". */
static uint64_t systab(const char *key)
{
	char *line = keyed_line(EFI "systab", key);
	uint64_t value = line ? strtoull(line, NULL, 16) : 0;

	free(line);
	return value;
}

struct efi_data { /* Linux: struct efi_setup_data */
	uint64_t fw_vendor, runtime, tables, smbios, reserved[8];
};

struct efi_entry {
	uint32_t type, pad;
	uint64_t base, virtual, pages, attributes, more;
};

/*
 * The firmware's runtime services at the addresses that this Linux has given them, which cannot be
 * changed any more: so does kexec_file_load (arch/x86/kernel/kexec-bzimage64.c).
 */
static void put_efi(struct tables *t, struct boot_params *zero, const struct boot_params *now)
{
	uint64_t at, type;
	glob_t found;

	if (memcmp(&now->efi_info.efi_loader_signature, "EL64", 4) ||
		glob(EFI "runtime-map/*", 0, NULL, &found))
		return;
	size_t n = found.gl_pathc;
	struct setup_node *node = table_take(t,
		sizeof(*node) + sizeof(struct efi_data) + n * sizeof(struct efi_entry), &at);
	struct efi_data *data = (struct efi_data *)(node + 1);
	struct efi_entry *entry = (struct efi_entry *)(data + 1);

	node->next = zero->hdr.setup_data;
	zero->hdr.setup_data = at;
	node->type = SETUP_EFI;
	node->bytes = (uint32_t)(sizeof(*data) + n * sizeof(*entry));
	read_hex(EFI, "fw_vendor", &data->fw_vendor);
	read_hex(EFI, "runtime", &data->runtime);
	read_hex(EFI, "config_table", &data->tables);
	data->smbios = systab("SMBIOS=");
	for (size_t i = 0; i < n; i++) {
		const char *folder = found.gl_pathv[i];

		if (read_hex(folder, "type", &type))
			entry[i].type = (uint32_t)type;
		read_hex(folder, "phys_addr", &entry[i].base);
		read_hex(folder, "virt_addr", &entry[i].virtual);
		read_hex(folder, "num_pages", &entry[i].pages);
		read_hex(folder, "attribute", &entry[i].attributes);
	}
	globfree(&found);
	zero->efi_info = now->efi_info;
	zero->efi_info.efi_memdesc_size = sizeof(*entry);
	zero->efi_info.efi_memmap = (uint32_t)(at + sizeof(*node) + sizeof(*data));
	zero->efi_info.efi_memmap_hi = 0;
	zero->efi_info.efi_memmap_size = (uint32_t)(n * sizeof(*entry));
}

/* Returns true if a framebuffer of the firmware is what the display shows. */
static bool display_is_as_found(void)
{
	char name[64];

	return !read_line("/sys/class/graphics/fb0/name", name, sizeof(name)) ||
		strstr(name, "simple") || strstr(name, "EFI VGA") || strstr(name, "VESA VGA");
}

/* Copy what both get of the running system's zero page. */
static struct boot_params *put_zero_page(struct tables *t, const struct boot_params *now,
	uint64_t *at)
{
	struct boot_params *zero = table_take(t, sizeof(*zero), at);

	zero->screen_info = now->screen_info;
	zero->edid_info = now->edid_info;
	zero->secure_boot = now->secure_boot;
	zero->acpi_rsdp_addr = now->acpi_rsdp_addr;
	if (!zero->acpi_rsdp_addr && !(zero->acpi_rsdp_addr = systab("ACPI20=")))
		zero->acpi_rsdp_addr = systab("ACPI=");
	zero->hdr.type_of_loader = LOADER_KEXEC;
	return zero;
}

/* The Linux that is started at the end; zero->hdr.setup_data has its nodes. */
static uint64_t put_linux(struct kexec_plan *p, struct tables *t, const struct boot_params *now)
{
	const struct boot_params *file = (const void *)p->kernel.data;
	struct memory_list l = { 0 };
	uint64_t at;
	struct boot_params *zero = put_zero_page(t, now, &at);

	zero->hdr = file->hdr;
	zero->hdr.type_of_loader = LOADER_KEXEC;
	zero->hdr.code32_start = (uint32_t)p->piece[KERNEL].at;
	zero->hdr.ramdisk_image = (uint32_t)p->piece[INITRD].at;
	zero->hdr.ramdisk_size = (uint32_t)p->initrd.n;
	zero->hdr.setup_data = p->piece[RESULTS].at;
	put_command(t, zero, p->command_line);
	list_firmware(&l, true);
	put_map(t, zero, &l);
	free(l.all);
	put_efi(t, zero, now);
	return at;
}

/* The image's zero page; its memory is Linux's own and what the firmware keeps. */
static uint64_t put_image(struct kexec_plan *p, struct tables *t, const struct boot_params *now,
	const struct memory_list *ram, uint64_t way)
{
	struct memory_list l = { 0 };
	uint64_t at;
	struct boot_params *zero = put_zero_page(t, now, &at);

	if (!display_is_as_found())
		zero->screen_info.orig_video_isVGA = 0;
	zero->hdr.setup_data = way;
	put_command(t, zero, p->keys);
	for (size_t i = 0; i < ram->n; i++)
		list_add(&l, ram->all[i].base, ram->all[i].end, 1);
	list_firmware(&l, false);
	put_map(t, zero, &l);
	free(l.all);
	put_efi(t, zero, now);
	return at;
}

/* mov $zero, %rsi; mov $entry, %rax; jmp *%rax: kexec_load enters with all registers 0. */
static uint64_t put_start(struct tables *t, uint64_t zero, uint64_t entry)
{
	uint64_t at;
	unsigned char *code = table_take(t, PAGE, &at);

	memcpy(code, "\x48\xbe", 2);
	memcpy(code + 2, &zero, 8);
	memcpy(code + 10, "\x48\xb8", 2);
	memcpy(code + 12, &entry, 8);
	memcpy(code + 20, "\xff\xe0", 2);
	return at;
}

static void keep(struct way_back *way, uint64_t base, uint64_t bytes)
{
	way->span[way->nspans].base = base;
	way->span[way->nspans++].bytes = bytes;
}

static void put_way(const struct kexec_plan *p, struct way_back *way)
{
	struct utsname name;

	uname(&name);
	way->node.type = WAY_BACK_TYPE;
	way->node.bytes = sizeof(*way) - sizeof(way->node);
	way->version = WAY_BACK_VERSION;
	snprintf(way->after, sizeof(way->after), "Linux %.56s", name.release);
	way->entry = p->piece[KERNEL].at + ENTRY_64;
	way->results = p->piece[RESULTS].at;
	way->most = p->piece[RESULTS].bytes;
	keep(way, p->piece[KERNEL].at, up(p->piece[KERNEL].n, PAGE));
	keep(way, p->piece[INITRD].at, p->piece[INITRD].bytes);
	keep(way, p->piece[TABLES].at, p->piece[TABLES].bytes);
}

static int put_tables(struct kexec_plan *p, const struct memory_list *ram, char *err)
{
	struct tables t = { .at = p->piece[TABLES].at };
	struct boot_params *now;
	uint64_t at;
	size_t n;

	now = (struct boot_params *)file_bytes(PARAMS, &n);
	if (!now || n < sizeof(*now)) {
		free(now);
		return give_reason(err, PARAMS ": %s", strerror(errno));
	}
	p->tables = t.data = new_array(TABLES_BYTES, 1);
	struct way_back *way = table_take(&t, sizeof(*way), &at);
	put_way(p, way);
	way->zero_page = put_linux(p, &t, now);
	at = put_image(p, &t, now, ram, at);
	p->start = put_start(&t, at, p->piece[IMAGE].at + ENTRY_64);
	free(now);
	p->piece[TABLES].data = p->tables;
	p->piece[TABLES].n = t.used;
	return 0;
}

/* --- the plan --- */

/* The part of a bzImage that runs: it begins behind its setup code. */
static int protected_part(const struct kexec_file *f, struct kexec_piece *piece, char *err)
{
	const struct boot_params *file = (const void *)f->data;
	size_t setup = f->n > sizeof(*file) ? file->hdr.setup_sects : 0;

	setup = ((setup ? setup : 4) + 1) * 512;
	if (f->n < sizeof(*file) || f->n <= setup || file->hdr.header != HDRS ||
		file->hdr.version < 0x20c || !(file->hdr.xloadflags & XLF_KERNEL_64))
		return give_reason(err, "%s is no Linux kernel for x86-64 (bzImage)", f->path);
	piece->data = f->data + setup;
	piece->n = f->n - setup;
	piece->align = file->hdr.kernel_alignment < PAGE ? PAGE : file->hdr.kernel_alignment;
	piece->bytes = up(file->hdr.init_size > piece->n ? file->hdr.init_size : piece->n, PAGE);
	return 0;
}

int kexec_place(struct kexec_plan *p, char *err)
{
	struct memory_list ram = { 0 };
	uint64_t all = 0;
	int bad;

	if (protected_part(&p->image, &p->piece[IMAGE], err) ||
		protected_part(&p->kernel, &p->piece[KERNEL], err))
		return -1;
	list_system_ram(&ram);
	for (size_t i = 0; i < ram.n; i++)
		all += ram.all[i].end - ram.all[i].base;
	all = up(all / 32, MIB);
	p->piece[RESULTS] = (struct kexec_piece){ .align = PAGE,
		.bytes = all < RESULTS_MOST ? all : RESULTS_MOST };
	p->piece[TABLES] = (struct kexec_piece){ .align = PAGE, .bytes = TABLES_BYTES };
	p->piece[INITRD] = (struct kexec_piece){ .align = PAGE,
		.bytes = up(p->initrd.n, PAGE),
		.data = p->initrd.data,
		.n = p->initrd.n };
	bad = choose_memory(p, &ram, err) || put_tables(p, &ram, err) ? -1 : 0;
	free(ram.all);
	return bad;
}

int kexec_load_plan(const struct kexec_plan *p, char *err)
{
	struct kexec_segment all[KEXEC_PIECES];
	unsigned long n = 0;

	for (int i = 0; i < KEXEC_PIECES; i++)
		if (p->piece[i].n)
			all[n++] = (struct kexec_segment){ p->piece[i].data, p->piece[i].n,
				(void *)p->piece[i].at, up(p->piece[i].n, PAGE) };
	if (syscall(SYS_kexec_load, p->start, n, all, KEXEC_ARCH_DEFAULT))
		return give_reason(err, "kexec_load: %s", strerror(errno));
	return 0;
}

void kexec_unload(void)
{
	syscall(SYS_kexec_load, 0UL, 0UL, NULL, KEXEC_ARCH_DEFAULT);
}

void kexec_free(struct kexec_plan *p)
{
	free(p->image.data);
	free(p->kernel.data);
	free(p->initrd.data);
	free(p->tables);
}
