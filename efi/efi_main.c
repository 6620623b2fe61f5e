/* SPDX-License-Identifier: MIT */
/*
 * The entry: fills struct machine by the firmware's services and calls the kernel. Parts that need
 * only a call or two are here; files, displays, variables and the server of a network start have a
 * file each.
 */
#include <string.h>

#include "efi/firmware.h"
#include "lib/boot_option.h"
#include "lib/math.h"

/* Copy UCS-2 to ASCII of at most n - 1 characters; characters that are not printable become '?'. */
static void text_narrow(char *out, UINTN n, const CHAR16 *text)
{
	UINTN i = 0;

	for (; text && i + 1 < n && text[i]; i++)
		out[i] = text[i] >= ' ' && text[i] <= '~' ? (char)text[i] : '?';
	out[i] = 0;
}

/* Codes up to ffffh are the firmware's own (UEFI 2.10, 7.5). */
static uint64_t watchdog(unsigned seconds)
{
	return fw.boot->SetWatchdogTimer(seconds, 0x10000, 0, NULL);
}

static EFI_STATUS firmware_open(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct machine *m)
{
	static EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;

	fw.image = image;
	fw.system = system;
	fw.boot = system->BootServices;
	fw.runtime = system->RuntimeServices;
	/* Firmware resets a machine whose program runs for five minutes; switch that off. */
	fw.boot->SetWatchdogTimer(0, 0, 0, NULL);
	m->watchdog = watchdog;

	EFI_STATUS status = fw.boot->HandleProtocol(image, &loaded_image, (void **)&fw.loaded);
	if (EFI_ERROR(status))
		return status;
	fw.options_bytes = fw.loaded->LoadOptions ? fw.loaded->LoadOptionsSize : 0;
	fw.options = boot_option_data(fw.loaded->LoadOptions, &fw.options_bytes);
	m->image = (struct span){ (UINTN)fw.loaded->ImageBase, fw.loaded->ImageSize };
	text_narrow(m->firmware_vendor, sizeof(m->firmware_vendor), system->FirmwareVendor);
	m->firmware_revision = system->FirmwareRevision;
	m->uefi_revision = system->Hdr.Revision;
	return EFI_SUCCESS;
}

/* The time of day, in UTC. */

/* Convert a local time to UTC: local = UTC - zone, in minutes (UEFI 2.10, 8.3). */
static void to_utc(EFI_TIME *t)
{
	INT64 minutes = date_to_days(t->Year, t->Month, t->Day) * 1440 + t->Hour * 60 + t->Minute +
		t->TimeZone;
	INT64 days = minutes / 1440, year = t->Year + 1;
	int month = 12;

	while (date_to_days(year, 1, 1) > days)
		year--;
	while (date_to_days(year, month, 1) > days)
		month--;
	t->Year = (UINT16)year;
	t->Month = (UINT8)month;
	t->Day = (UINT8)(days - date_to_days(year, month, 1) + 1);
	t->Hour = (UINT8)(minutes % 1440 / 60);
	t->Minute = (UINT8)(minutes % 60);
}

static void put_digits(char **out, unsigned value, unsigned digits)
{
	for (unsigned i = digits; i-- > 0; value /= 10)
		(*out)[i] = (char)('0' + value % 10);
	*out += digits;
}

static void clock_read(struct machine *m)
{
	EFI_TIME t;
	char *out = m->started_utc;

	if (EFI_ERROR(fw.runtime->GetTime(&t, NULL)) || t.Year < 1971 || t.Year > 9999 ||
		t.Month < 1 || t.Month > 12)
		return;
	if (t.TimeZone >= -1440 && t.TimeZone <= 1440) /* else the zone is unknown */
		to_utc(&t);
	put_digits(&out, t.Year, 4);
	put_digits(&out, t.Month, 2);
	put_digits(&out, t.Day, 2);
	*out++ = 'T';
	put_digits(&out, t.Hour, 2);
	put_digits(&out, t.Minute, 2);
	put_digits(&out, t.Second, 2);
	*out++ = 'Z';
}

/* The configuration as raw bytes: the file \anechoic.cfg and the load options. */

#define CONFIG_BYTES (64 * 1024)

static void bad(struct text *t, const char *why)
{
	*t = (struct text){ .absent = why, .bad = true };
}

/* Read up to n bytes; *n becomes the number read. */
static EFI_STATUS read_all(EFI_FILE_HANDLE file, unsigned char *data, UINTN *n)
{
	UINTN used = 0;

	while (used < *n) {
		UINTN part = *n - used;
		EFI_STATUS status = file->Read(file, &part, data + used);
		if (EFI_ERROR(status))
			return status;
		if (!part)
			break;
		used += part;
	}
	*n = used;
	return EFI_SUCCESS;
}

static void config_read(struct machine *m)
{
	EFI_FILE_HANDLE file;
	UINTN n = CONFIG_BYTES + 1;

	EFI_STATUS status = file_open("\\anechoic.cfg", EFI_FILE_MODE_READ, &file);
	if ((status == EFI_NOT_FOUND || status == EFI_UNSUPPORTED) && server_config(m, n))
		return;
	if (status == EFI_NOT_FOUND) {
		m->config.absent = "no file \\anechoic.cfg";
		return;
	}
	if (status == EFI_UNSUPPORTED) {
		m->config.absent = "no file system";
		return;
	}
	if (EFI_ERROR(status)) {
		bad(&m->config, "\\anechoic.cfg cannot be opened");
		return;
	}
	unsigned char *data = memory_pages(n);
	status = data ? read_all(file, data, &n) : EFI_OUT_OF_RESOURCES;
	file->Close(file);
	if (EFI_ERROR(status))
		bad(&m->config, "\\anechoic.cfg cannot be read");
	else if (n > CONFIG_BYTES)
		bad(&m->config, "\\anechoic.cfg is larger than 64 KiB");
	else
		m->config = (struct text){ .data = data, .bytes = n };
}

/* A boot entry may carry any bytes: they are refused as a whole if they are not text. */
static void options_read(struct machine *m)
{
	size_t n = fw.options_bytes;

	m->options.absent = "none";
	if (!n)
		return;
	if (n > 2 * CONFIG_BYTES) {
		bad(&m->options, "load options are larger than 64 KiB");
		return;
	}
	unsigned char *data = memory_pages(n);
	if (!data) {
		bad(&m->options, "no memory for the load options");
		return;
	}
	const char *why = load_options_text(fw.options, n, data, &n);
	if (why)
		bad(&m->options, why);
	else if (n > CONFIG_BYTES)
		bad(&m->options, "load options are larger than 64 KiB");
	else if (n)
		m->options = (struct text){ .data = data, .bytes = n };
}

/* The configuration tables, among them ACPI's root and SMBIOS. */

/* SMBIOS's structures; *n: their bytes. */
static const void *find_structures(UINTN *n, unsigned *version)
{
	static const EFI_GUID smbios3 = { 0xf2fd1544, 0x9794, 0x4a2c,
		{ 0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94 } };
	static const EFI_GUID smbios2 = { 0xeb9d2d31, 0x2d88, 0x11d3,
		{ 0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };
	const void *found = smbios_structures(table_find(&smbios3), n, version);

	return found ? found : smbios_structures(table_find(&smbios2), n, version);
}

static void tables_find(struct machine *m)
{
	static const EFI_GUID acpi2 = { 0x8868e871, 0xe4f1, 0x11d3,
		{ 0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };
	static const EFI_GUID acpi1 = { 0xeb9d2d30, 0x2d88, 0x11d3,
		{ 0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d } };

	void *root = table_find(&acpi2);
	if (!root)
		root = table_find(&acpi1);
	m->rsdp = (UINTN)root;
	UINTN n;
	unsigned version;
	const void *structures = find_structures(&n, &version);
	if (structures) {
		m->smbios = (struct span){ (UINTN)structures, n };
		smbios_read(structures, n, version, &m->host);
	}
}

/*
 * Returns true if a TPM measures what is started (TCG, "EFI Protocol Specification"; before TPM 2.0
 * "EFI Protocol").
 */
static bool has_tpm(void)
{
	static EFI_GUID tcg2 = { 0x607f766c, 0x7455, 0x42be,
		{ 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f } };
	static EFI_GUID tcg = { 0xf541796d, 0xa62e, 0x4954,
		{ 0xa7, 0x75, 0x95, 0x84, 0xf6, 0x1b, 0x9c, 0xdd } };
	void *protocol;

	return !EFI_ERROR(fw.boot->LocateProtocol(&tcg2, NULL, &protocol)) ||
		!EFI_ERROR(fw.boot->LocateProtocol(&tcg, NULL, &protocol));
}

/*
 * The other processors before ExitBootServices: EFI_MP_SERVICES_PROTOCOL, whose StartupThisAP calls
 * a function on one of them (UEFI PI 1.7, volume 2, 13.4).
 */

#define MAX_CPUS 1024

struct mp_information {
	UINT64 id;
	UINT32 flags; /* 1 this is the boot processor, 2 enabled, 4 healthy */
	UINT32 package, core, thread;
	UINT64 extended[3];
};

typedef void EFIAPI work(void *);

struct mp {
	EFI_STATUS(EFIAPI *count)(struct mp *, UINTN *all, UINTN *enabled);
	EFI_STATUS(EFIAPI *information)(struct mp *, UINTN number, struct mp_information *);
	void *start_all;
	/* StartupThisAP */
	EFI_STATUS(EFIAPI *start)(struct mp *, work *, UINTN, EFI_EVENT, UINTN, void *, BOOLEAN *);
	void *switch_boot_processor, *enable, *who_am_i;
};

struct own_call {
	void (*fn)(void *);
	void *arg;
	EFI_EVENT ended; /* NULL: nothing was started */
};

static struct mp *mp;
static UINT16 numbers[MAX_CPUS]; /* the firmware's number of CPU i; CPU 0 runs this */
static UINT32 ids[MAX_CPUS];     /* APIC id of CPU i */
static unsigned found;
static struct own_call calls[MAX_CPUS];

static uint32_t id(unsigned cpu)
{
	return cpu < found ? ids[cpu] : UINT32_MAX;
}

static void EFIAPI procedure(void *arg)
{
	struct own_call *c = arg;

	c->fn(c->arg);
}

static uint64_t start(unsigned cpu, void (*fn)(void *), void *arg)
{
	if (!cpu || cpu >= found)
		return EFI_INVALID_PARAMETER;
	struct own_call *c = &calls[cpu];
	if (c->ended)
		return EFI_NOT_READY;
	EFI_STATUS status = fw.boot->CreateEvent(0, 0, NULL, NULL, &c->ended);
	if (EFI_ERROR(status)) {
		c->ended = NULL;
		return status;
	}
	c->fn = fn;
	c->arg = arg;
	status = mp->start(mp, procedure, numbers[cpu], c->ended, 0, c, NULL);
	if (EFI_ERROR(status)) {
		fw.boot->CloseEvent(c->ended);
		c->ended = NULL;
	}
	return status;
}

static bool done(unsigned cpu)
{
	if (!cpu || cpu >= found || !calls[cpu].ended)
		return true;
	if (EFI_ERROR(fw.boot->CheckEvent(calls[cpu].ended)))
		return false;
	fw.boot->CloseEvent(calls[cpu].ended);
	calls[cpu].ended = NULL;
	return true;
}

static void list(void)
{
	static EFI_GUID guid = { 0x3fdda605, 0xa76e, 0x4f46,
		{ 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };
	struct mp_information info;
	UINTN all, enabled;

	found = 1; /* CPU 0 runs this */
	if (EFI_ERROR(fw.boot->LocateProtocol(&guid, NULL, (void **)&mp)) ||
		EFI_ERROR(mp->count(mp, &all, &enabled)))
		return;
	for (UINTN i = 0; i < all && found < MAX_CPUS; i++)
		if (!EFI_ERROR(mp->information(mp, i, &info)) && (info.flags & 7) == 6) {
			ids[found] = (UINT32)info.id;
			numbers[found++] = (UINT16)i;
		}
}

/*
 * Find the processors at the first call, not before: the kernel decides whether MP Services may be
 * used.
 */
static unsigned cpus(void)
{
	if (!found)
		list();
	return found;
}

static void cpus_open(struct machine *m)
{
	m->cpus = cpus;
	m->cpu_id = id;
	m->cpu_start = start;
	m->cpu_done = done;
}

/* --- the entry --- */

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks)
{
	static struct machine m;

	m.entry_ticks = entry_ticks;
	EFI_STATUS status = firmware_open(image, system, &m); /* the loaded image; watchdog off */
	if (EFI_ERROR(status))
		return status;
	console_open(&m);         /* print, key, stall */
	clock_read(&m);           /* the time when this run started */
	files_open(&m);           /* files in \results\ of the boot volume, */
	server_open(&m);          /* or on the server of a network start */
	config_read(&m);          /* \anechoic.cfg: before anything is written */
	options_read(&m);         /* load options */
	places_find(&m);          /* the volume with \results\ */
	tables_find(&m);          /* ACPI, SMBIOS */
	display_open(&m);         /* framebuffer, and the consoles that write to it */
	variables_open(&m);       /* non-volatile store, reset, BootNext, Secure Boot */
	m.has_tpm = has_tpm();    /* a TPM measures what is started */
	cpus_open(&m);            /* the other processors, before ExitBootServices */
	status = memory_take(&m); /* the memory map, ExitBootServices */
	if (EFI_ERROR(status))
		return status;
	kernel_main(&m);
	memory_give_back(); /* the next program may need it */
	/*
	 * After EFI_SUCCESS a boot manager may show its menu and wait for ever; after an error it
	 * takes the next entry, the machine's own system (UEFI 2.10, 3.1.1).
	 */
	return EFI_ABORTED;
}
