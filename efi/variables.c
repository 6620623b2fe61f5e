/* SPDX-License-Identifier: MIT */
/*
 * The runtime services, which outlive the firmware's exit: non-volatile variables, reset, the way
 * into the firmware's setup, and the way back to this medium. BootNext names the boot option that
 * started this program. If that option is of another device (a boot loader there started this
 * image, or the firmware numbers its options anew), BootNext names one of our own, which is in no
 * boot order and is deleted at the next start.
 */
#include <string.h>

#include "efi/firmware.h"
#include "lib/boot_option.h"
#include "lib/stored_result.h"
#include "lib/text.h"

#define NAME_CHARACTERS 64
#define NON_VOLATILE                                                                               \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

static EFI_GUID anechoic = STORED_RESULT_GUID(GUID_FIELDS);

static EFI_STATUS get_of(CHAR16 *name, EFI_GUID *vendor, void *data, UINTN *n)
{
	UINT32 attributes;

	return fw.runtime->GetVariable(name, vendor, &attributes, n, data);
}

static EFI_STATUS set_of(CHAR16 *name, EFI_GUID *vendor, void *data, UINTN n)
{
	return fw.runtime->SetVariable(name, vendor, NON_VOLATILE, n, data);
}

static uint64_t get(const char *name, void *data, size_t *n)
{
	CHAR16 wide[NAME_CHARACTERS];
	UINTN bytes = *n;

	text_widen(wide, NAME_CHARACTERS, name);
	EFI_STATUS status = get_of(wide, &anechoic, data, &bytes);
	*n = bytes;
	return status;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	CHAR16 wide[NAME_CHARACTERS];

	text_widen(wide, NAME_CHARACTERS, name);
	return set_of(wide, &anechoic, (void *)data, n);
}

static void reset(enum reset_kind kind)
{
	static const EFI_RESET_TYPE types[] = {
		[RESET_WARM] = EfiResetWarm,
		[RESET_COLD] = EfiResetCold,
		[RESET_SHUTDOWN] = EfiResetShutdown,
	};

	fw.runtime->ResetSystem(types[kind], EFI_SUCCESS, 0, NULL);
}

/*
 * Returns true if SetVariable works at runtime. EFI_RT_PROPERTIES_TABLE (UEFI 2.10, 4.6.2): without
 * it, all runtime services do.
 */
static bool set_at_runtime(void)
{
	static const EFI_GUID guid = { 0xeb66918a, 0x7eef, 0x402a,
		{ 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 } };
	enum { SET_VARIABLE = 0x40 };
	struct {
		UINT16 version, length;
		UINT32 supported;
	} properties;

	const void *table = table_find(&guid);
	if (!table)
		return true;
	memcpy(&properties, table, sizeof(properties));
	return properties.length < sizeof(properties) || (properties.supported & SET_VARIABLE);
}

/* Ask for the sizes. QueryVariableInfo came with UEFI 2.0. If it fails, the known sizes stay. */
static void query(struct variable_store *s)
{
	UINT64 total, remaining, largest;

	if (fw.system->Hdr.Revision < 0x20000 ||
		EFI_ERROR(fw.runtime->QueryVariableInfo(NON_VOLATILE, &total, &remaining,
			&largest)))
		return;
	s->size_known = true;
	s->total = total;
	s->remaining = remaining;
	s->largest = largest;
}

static void open_store(struct variable_store *s)
{
	query(s);
	s->usable = !s->size_known || s->largest > 0;
	s->usable_at_runtime = s->usable && set_at_runtime();
	if (!s->usable)
		s->why_not = "the firmware stores no variables";
	else if (!s->usable_at_runtime)
		s->why_not = "the firmware sets no variables after ExitBootServices";
}

#define DESCRIPTION  "anechoic: a result waits"
#define OPTION_BYTES 4096 /* a larger one has optional data of other programs */
#define OPTIONS_MOST 256  /* most numbers that are tried for our own option */

static EFI_GUID global = EFI_GLOBAL_VARIABLE;
static CHAR16 own_number[] = L"AnechoicEntry"; /* the number of our own, before it is made */

static unsigned char option[OPTION_BYTES]; /* the option that was read */
static unsigned char own[1024];
static UINTN own_bytes; /* 0: no own option is needed */
static UINT16 number;   /* the value for BootNext */

/* Write "Boot001F". */
static void option_name(CHAR16 out[9], UINT16 which)
{
	char name[9];

	text_format(name, sizeof(name), "Boot%04X", which);
	text_widen(out, 9, name);
}

/* Read Boot#### into `option`. Returns its bytes; 0: there is none. */
static UINTN read_option(UINT16 which)
{
	UINTN n = OPTION_BYTES;
	CHAR16 name[9];

	option_name(name, which);
	EFI_STATUS status = get_of(name, &global, option, &n);
	if (status == EFI_BUFFER_TOO_SMALL) {
		memset(option, 0, sizeof(option));
		return OPTION_BYTES; /* too large to be read, but there */
	}
	return EFI_ERROR(status) ? 0 : n;
}

static bool find_number(UINT16 *out)
{
	for (UINT16 i = 0; i < OPTIONS_MOST; i++)
		if (!read_option(i)) {
			*out = i;
			return true;
		}
	return false;
}

static enum way_home find_way(void)
{
	EFI_DEVICE_PATH *device = path_of(fw.loaded->DeviceHandle), *file = fw.loaded->FilePath;
	size_t device_bytes = device ? device_path_bytes(device, PATH_MOST) : 0;
	size_t file_bytes = file ? device_path_bytes(file, PATH_MOST) : 0;
	UINTN n = sizeof(number);
	bool known = !EFI_ERROR(get_of(L"BootCurrent", &global, &number, &n));

	if (known &&
		(!device_bytes ||
			boot_option_starts(option, read_option(number), device, device_bytes)))
		return HOME_BOOT_CURRENT;
	if (!device_bytes || !file_bytes || !find_number(&number))
		return HOME_UNKNOWN;
	own_bytes = boot_option_make(own, sizeof(own), DESCRIPTION, device, device_bytes, file,
		file_bytes);
	return own_bytes ? HOME_OWN_OPTION : HOME_UNKNOWN;
}

/* Add this start's load options to the option: without them the next start would be another run. */
static void keep_options(void)
{
	if (!own_bytes || fw.options_bytes > sizeof(own) - own_bytes)
		return;
	memcpy(own + own_bytes, fw.options, fw.options_bytes);
	own_bytes += fw.options_bytes;
}

/*
 * Set BootNext. The note of our own option is written first: the next start deletes the noted
 * option only if it is ours.
 */
static uint64_t boot_next(void)
{
	EFI_STATUS status = EFI_SUCCESS;
	CHAR16 name[9];

	if (own_bytes) {
		option_name(name, number);
		status = set_of(own_number, &anechoic, &number, sizeof(number));
		if (!EFI_ERROR(status))
			status = set_of(name, &global, own, own_bytes);
	}
	return EFI_ERROR(status) ? status : set_of(L"BootNext", &global, &number, sizeof(number));
}

/* Delete our own option of an earlier start: it has done its duty. */
static void forget_own(void)
{
	UINTN n = sizeof(number);
	CHAR16 name[9];

	if (EFI_ERROR(get_of(own_number, &anechoic, &number, &n)))
		return;
	option_name(name, number);
	if (boot_option_is_called(option, read_option(number), DESCRIPTION))
		set_of(name, &global, NULL, 0);
	set_of(own_number, &anechoic, NULL, 0);
}

/* Read bits that a system and the firmware exchange (UEFI 2.10, 8.5.4); absent: none. */
static EFI_STATUS indications(CHAR16 *name, UINT64 *bits)
{
	UINTN n = sizeof(*bits);

	*bits = 0;
	EFI_STATUS status = get_of(name, &global, bits, &n);
	return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

static bool has_setup(void)
{
	UINT64 bits;

	return !EFI_ERROR(indications(L"OsIndicationsSupported", &bits)) &&
		(bits & EFI_OS_INDICATIONS_BOOT_TO_FW_UI);
}

/* Set our bit in OsIndications; others may have set other bits, which stay. */
static uint64_t setup_next(void)
{
	UINT64 bits;
	EFI_STATUS status = indications(L"OsIndications", &bits);

	bits |= EFI_OS_INDICATIONS_BOOT_TO_FW_UI;
	return EFI_ERROR(status) ? status : set_of(L"OsIndications", &global, &bits, sizeof(bits));
}

/* Returns the value of a variable of one byte; 0: it is absent. */
static UINT8 byte_of(CHAR16 *name)
{
	UINTN n = 1;
	UINT8 value;

	return EFI_ERROR(get_of(name, &global, &value, &n)) || n != 1 ? 0 : value;
}

/* Returns true if the next start, after a reset, is another boot option: BootOrder's first. */
static bool others_come_first(void)
{
	UINT16 current, order[OPTIONS_MOST];
	UINTN n = sizeof(current), bytes = sizeof(order);

	return !EFI_ERROR(get_of(L"BootCurrent", &global, &current, &n)) &&
		!EFI_ERROR(get_of(L"BootOrder", &global, order, &bytes)) && bytes >= 2 &&
		order[0] != current;
}

void variables_open(struct machine *m)
{
	m->others_come_first = others_come_first();
	m->secure_boot = byte_of(L"SecureBoot") == 1 && byte_of(L"SetupMode") == 0;
	m->variable_get = get;
	m->variable_set = set;
	m->reset = reset;
	m->store_query = query;
	open_store(&m->store);
	forget_own();
	m->boot_next = boot_next;
	m->setup_next = setup_next;
	m->has_setup = has_setup();
	m->home = find_way();
	keep_options();
}
