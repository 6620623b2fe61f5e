/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/fake_display.h"
#include "tests/kam/image/fake_efi.h"

#define SERVICE_NS 1000
#define JUNK       0xdeaddeaddeaddeadull

static const struct {
	const char *name;
	size_t header, bytes; /* the slots lie between */
} tables[EFI_KINDS] = {
	[EFI_BOOT] = { "boot service", sizeof(EFI_TABLE_HEADER), sizeof(EFI_BOOT_SERVICES) },
	[EFI_RUNTIME] = { "runtime service", sizeof(EFI_TABLE_HEADER),
		sizeof(EFI_RUNTIME_SERVICES) },
	[EFI_CON_IN] = { "console input", 0, sizeof(SIMPLE_INPUT_INTERFACE) },
	[EFI_CON_OUT] = { "console output", 0, sizeof(SIMPLE_TEXT_OUTPUT_INTERFACE) },
	[EFI_VOLUME] = { "volume", 8, 16 },
	[EFI_FILES] = { "file", 8, sizeof(EFI_FILE) },
	[EFI_MP] = { "service for processors", 0, 64 },
	[EFI_GRAPHICS] = { "graphics output", 0, offsetof(EFI_GRAPHICS_OUTPUT_PROTOCOL, Mode) },
};

efi_service_fn *efi_replace(struct full_system *w, enum efi_table table, size_t offset,
	efi_service_fn *does)
{
	efi_service_fn **slot = &w->service[table][offset / 8], *before = *slot;

	*slot = does;
	return before;
}

static void add_services(struct full_system *w, const struct efi_service *s)
{
	for (; s->does; s++)
		efi_replace(w, s->table, s->offset, s->does);
}

uint64_t *efi_number(struct full_system *w, uint64_t address)
{
	return ram_at(&w->ram, address, 8);
}

/* Four arguments in registers, the others behind 32 bytes that belong to whoever is called. */
static void arguments(struct full_system *w, uint64_t a[EFI_ARGS])
{
	static const int registers[4] = { UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_R8,
		UC_X86_REG_R9 };
	const uint64_t *stack =
		ram_at(&w->ram, register_of(w->uc, UC_X86_REG_RSP), 8 * (EFI_ARGS + 1));
	unsigned i;

	for (i = 0; i < EFI_ARGS; i++)
		a[i] = i < 4 ? register_of(w->uc, registers[i]) : stack[i + 1];
}

/* Change the registers and memory that a caller must not rely on. */
static void scrub(uc_engine *uc)
{
	static const int registers[] = { UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_R8,
		UC_X86_REG_R9, UC_X86_REG_R10, UC_X86_REG_R11 };
	uint64_t junk = JUNK;
	unsigned i;

	for (i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		unicorn_check(uc_reg_write(uc, registers[i], &junk), "writing a register");
}

static void refuse_service(struct full_system *w, const char *name)
{
	uint64_t status = EFI_UNSUPPORTED;
	char what[80];

	snprintf(what, sizeof(what), "a %s is called after ExitBootServices", name);
	system_wrong(w, what);
	unicorn_check(uc_reg_write(w->uc, UC_X86_REG_RAX, &status), "writing a register");
}

static void on_service(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	enum efi_table table = (enum efi_table)((address - TRAPS_AT) / EFI_TABLE_BYTES);
	uint64_t offset = (address - TRAPS_AT) % EFI_TABLE_BYTES, a[EFI_ARGS], status;
	struct full_system *w = priv;
	efi_service_fn *does = w->service[table][offset / 8];

	if (!does)
		fatal("the image calls the %s at offset %lu of its table: not written",
			tables[table].name, offset);
	if (w->exits > 1 && table != EFI_RUNTIME) {
		refuse_service(w, tables[table].name);
		return;
	}
	if (!(register_of(uc, UC_X86_REG_EFLAGS) & 0x200) && table == EFI_BOOT)
		fatal("the image calls a boot service with interrupts off");
	arguments(w, a);
	system_pass_time(w, SERVICE_NS);
	w->raised = false;
	status = does(w, a);
	if (w->raised)
		return;
	scrub(uc);
	unicorn_check(uc_reg_write(uc, UC_X86_REG_RAX, &status), "writing a register");
}

static void fill(struct full_system *w, enum efi_table t)
{
	uint64_t *slots = ram_at(&w->ram, efi_table_at(t), EFI_TABLE_BYTES);
	uint64_t traps = TRAPS_AT + (uint64_t)t * EFI_TABLE_BYTES;
	size_t at;

	for (at = tables[t].header; at < tables[t].bytes; at += 8)
		slots[at / 8] = traps + at;
}

static void fill_system(struct full_system *w)
{
	EFI_SYSTEM_TABLE *s = ram_at(&w->ram, EFI_SYSTEM, sizeof(*s));
	CHAR16 *vendor = ram_at(&w->ram, EFI_VENDOR, 64);
	const char *name = "known-answer";

	while (*name)
		*vendor++ = (CHAR16)*name++;
	s->Hdr.Revision = 2 << 16 | 100;
	s->FirmwareVendor = (void *)EFI_VENDOR;
	s->FirmwareRevision = 1;
	s->ConIn = (void *)efi_table_at(EFI_CON_IN);
	s->ConOut = (void *)efi_table_at(EFI_CON_OUT);
	s->ConsoleOutHandle = (void *)EFI_DEVICE_HANDLE;
	s->BootServices = (void *)efi_table_at(EFI_BOOT);
	s->RuntimeServices = (void *)efi_table_at(EFI_RUNTIME);
	s->ConfigurationTable = (void *)EFI_CONFIGURATION;
}

void efi_configure(struct full_system *w, EFI_GUID guid, uint64_t address)
{
	EFI_SYSTEM_TABLE *s = ram_at(&w->ram, EFI_SYSTEM, sizeof(*s));
	EFI_CONFIGURATION_TABLE *t = ram_at(&w->ram, EFI_CONFIGURATION, 0x200);

	t[s->NumberOfTableEntries++] = (EFI_CONFIGURATION_TABLE){ guid, (void *)address };
}

/* Load options, in the UCS-2 that is custom; the first word is a name. */
static void fill_loaded(struct full_system *w)
{
	EFI_LOADED_IMAGE *l = ram_at(&w->ram, EFI_LOADED, sizeof(*l));
	CHAR16 *wide = ram_at(&w->ram, EFI_OPTIONS, 0x2000);
	static const char *const profiles[] = { "smoke", "default", "full" };
	const struct request *r = w->request;
	char text[0x1000];
	int n, i;

	n = snprintf(text, sizeof(text),
		"image rooms=%s finish=halt prompt=0 countdown=0 store=%s profile=%s edges=%s "
		"seed=%lu memory=%lu %s%s %s",
		r->rooms, r->hostile ? "on" : "off", profiles[r->options.profile],
		bisects_edges(&r->options) ? "bisect" : "grid", r->options.seed,
		w->cpu->memory_bytes, *r->options.probes ? "probes=" : "", r->options.probes,
		r->load ? r->load : "");
	for (i = 0; i <= n; i++)
		wide[i] = (CHAR16)text[i];
	l->DeviceHandle = (void *)EFI_DEVICE_HANDLE;
	l->LoadOptions = (void *)EFI_OPTIONS;
	l->LoadOptionsSize = 2 * ((UINT32)n + 1);
	l->ImageBase = (void *)IMAGE_AT;
	l->ImageSize = w->image_bytes;
}

/* push 38h; lea 3(%rip), %rax; push %rax; lretq; mov $30h, %ax; ds, es, ss; sti; jmp *%r10 */
static const uint8_t start[] = { 0x6a, 0x38, 0x48, 0x8d, 0x05, 3, 0, 0, 0, 0x50, 0x48, 0xcb, 0x66,
	0xb8, 0x30, 0, 0x8e, 0xd8, 0x8e, 0xc0, 0x8e, 0xd0, 0xfb, 0x41, 0xff, 0xe2 };

#define GDT_AT (START_AT + 0x900)

/* Code at 38h and data at 30h, as EDK II has them; the IDT is never used. */
static void make_start(struct full_system *w)
{
	uint8_t *page = ram_at(&w->ram, START_AT, 4096);
	uint64_t *gdt = (uint64_t *)(page + (GDT_AT - START_AT));
	uc_x86_mmr gdtr = { .base = GDT_AT, .limit = 63 };

	memcpy(page, start, sizeof(start));
	page[RETURN_AT - START_AT] = 0xf4;
	gdt[6] = 0x00cf93000000ffff;
	gdt[7] = 0x00af9b000000ffff;
	unicorn_check(uc_reg_write(w->uc, UC_X86_REG_GDTR, &gdtr), "loading the GDT");
}

struct initial {
	int id;
	uint64_t value;
};

/* Registers that a function of the Microsoft ABI leaves as they were (UEFI 2.10, 2.3.4.2). */
static const struct initial kept[] = { { UC_X86_REG_RBX, 0xb1 }, { UC_X86_REG_RBP, 0xb2 },
	{ UC_X86_REG_RDI, 0xb3 }, { UC_X86_REG_RSI, 0xb4 }, { UC_X86_REG_R12, 0xb5 },
	{ UC_X86_REG_R13, 0xb6 }, { UC_X86_REG_R14, 0xb7 }, { UC_X86_REG_R15, 0xb8 } };

static void write_register(struct full_system *w, const struct initial *r)
{
	unicorn_check(uc_reg_write(w->uc, r->id, &r->value), "writing a register");
}

void efi_expect_kept(const struct full_system *w)
{
	for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (register_of(w->uc, kept[i].id) != kept[i].value)
			fatal("the image returned with %#lx in a register that had %#lx",
				register_of(w->uc, kept[i].id), kept[i].value);
}

static void set_registers(struct full_system *w)
{
	const struct initial first[] = {
		{ UC_X86_REG_RCX, EFI_IMAGE_HANDLE },
		{ UC_X86_REG_RDX, EFI_SYSTEM },
		{ UC_X86_REG_R10, w->entry },
		{ UC_X86_REG_RSP, STACK_END - 0x108 },
	};

	for (unsigned i = 0; i < sizeof(first) / sizeof(*first); i++)
		write_register(w, &first[i]);
	for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		write_register(w, &kept[i]);
	*(uint64_t *)ram_at(&w->ram, STACK_END - 0x108, 8) = RETURN_AT;
}

void efi_open(struct full_system *w)
{
	unsigned t;

	memset(ram_at(&w->ram, TRAPS_AT, START_AT - TRAPS_AT), 0xc3, START_AT - TRAPS_AT);
	for (t = 0; t < EFI_KINDS; t++)
		fill(w, (enum efi_table)t);
	add_services(w, efi_services);
	add_services(w, efi_file_services);
	add_services(w, efi_variable_services);
	efi_files_open(w);
	fill_system(w);
	acpi_open(w);
	fill_loaded(w);
	make_start(w);
	set_registers(w);
	display_init(w);
	system_hook(w, UC_HOOK_CODE, (void *)on_service, TRAPS_AT, START_AT - 1);
}
