/* SPDX-License-Identifier: MIT */
/* The start: as a runtime driver, with the misbehaviours asked for, and then the image. */
#include <string.h>

#include "tests/hostile/hostile_efi.h"

#define SELF      L"\\EFI\\BOOT\\BOOTX64.EFI"
#define IMAGE     L"\\EFI\\anechoic\\BOOTX64.EFI"
#define SETTINGS  L"\\hostile.cfg"
#define FILE_MAX  (4 << 20) /* bytes */
#define NAME_MAX  40
#define SUBSYSTEM 92 /* its offset from the PE signature (Microsoft, "PE Format") */

enum { RUNTIME_DRIVER = 12 };

struct real_firmware real;
struct given_firmware given;

static EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;

/* linker/image.lds wants a section .loops. */
__asm__(".pushsection .loops, \"ax\"\n\tnop\n\t.popsection");

struct sent_bytes {
	unsigned char *data; /* NULL: there is no such file */
	UINTN n;
};

void say(const char *text)
{
	CHAR16 c[2] = { 0 };

	for (; real.system->ConOut && *text; text++) {
		c[0] = (unsigned char)*text;
		real.system->ConOut->OutputString(real.system->ConOut, c);
	}
}

static EFI_STATUS fail(const char *what, EFI_STATUS status)
{
	say("hostile: ");
	say(what);
	say("\r\n");
	return status;
}

static EFI_LOADED_IMAGE *loaded_of(EFI_HANDLE image)
{
	EFI_LOADED_IMAGE *loaded = NULL;

	real.boot->HandleProtocol(image, &loaded_image, (void **)&loaded);
	return loaded;
}

/* A file of the volume that this program was started from. */
static struct sent_bytes file_read(EFI_HANDLE device, const CHAR16 *path)
{
	static EFI_GUID file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_FILE_IO_INTERFACE *volume;
	EFI_FILE_HANDLE root, file;
	struct sent_bytes b = { NULL, FILE_MAX };

	if (real.boot->HandleProtocol(device, &file_system, (void **)&volume) ||
		volume->OpenVolume(volume, &root) ||
		root->Open(root, &file, (CHAR16 *)path, EFI_FILE_MODE_READ, 0))
		return b;
	b.data = pages_of(EfiBootServicesData, FILE_MAX / PAGE_BYTES);
	if (b.data && file->Read(file, &b.n, b.data))
		b.data = NULL;
	file->Close(file);
	return b;
}

/* Loads and starts an image as if it were the file of this program. */
static EFI_STATUS start(EFI_HANDLE self, struct sent_bytes image, EFI_SYSTEM_TABLE *table)
{
	static EFI_GUID path_guid = { 0xbc62157e, 0x3e33, 0x4fec,
		{ 0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7, 0x50, 0xdf } }; /* LoadedImageDevicePath */
	EFI_LOADED_IMAGE *loaded = loaded_of(self), *child;
	EFI_DEVICE_PATH *path = NULL;
	EFI_HANDLE handle;

	real.boot->HandleProtocol(self, &path_guid, (void **)&path);
	EFI_STATUS status = real.boot->LoadImage(FALSE, self, path, image.data, image.n, &handle);
	if (EFI_ERROR(status))
		return fail("the image cannot be loaded", status);
	child = loaded_of(handle);
	child->LoadOptions = loaded->LoadOptions;
	child->LoadOptionsSize = loaded->LoadOptionsSize;
	child->SystemTable = table; /* EDK2 hands it to the entry */
	return real.boot->StartImage(handle, NULL, NULL);
}

/* This program again, as a runtime driver. */
static EFI_STATUS start_as_driver(EFI_HANDLE self, EFI_SYSTEM_TABLE *system)
{
	struct sent_bytes own = file_read(loaded_of(self)->DeviceHandle, SELF);
	UINT32 signature;

	if (!own.data)
		return fail("no file \\EFI\\BOOT\\BOOTX64.EFI", EFI_NOT_FOUND);
	memcpy(&signature, own.data + 0x3c, sizeof signature);
	own.data[signature + SUBSYSTEM] = RUNTIME_DRIVER;
	return start(self, own, system);
}

/* The CRC of a table (UEFI 2.10, 4.2). */
static void sum_up(EFI_TABLE_HEADER *header, UINT32 bytes)
{
	header->HeaderSize = bytes;
	header->CRC32 = 0;
	real.boot->CalculateCrc32(header, bytes, &header->CRC32);
}

static void copy_tables(void)
{
	memcpy(&given.system, real.system, sizeof given.system);
	memcpy(&given.boot, real.boot, sizeof given.boot);
	memcpy(&given.runtime, real.runtime, sizeof given.runtime);
	given.system.BootServices = &given.boot;
	given.system.RuntimeServices = &given.runtime;
}

static void sum_tables(void)
{
	sum_up(&given.boot.Hdr, sizeof given.boot);
	sum_up(&given.runtime.Hdr, sizeof given.runtime);
	sum_up(&given.system.Hdr, sizeof given.system);
}

static bool begin(const char *name, bool numbered, uint64_t n)
{
	static const struct firmware_misbehaviour *const families[] = { memory_misbehaviours,
		screen_misbehaviours, variable_misbehaviours, space_misbehaviours,
		reset_misbehaviours, cpu_misbehaviours, file_misbehaviours };

	for (unsigned f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct firmware_misbehaviour *m = families[f]; m->name; m++)
			if (strcmp(m->name, name) == 0) {
				m->begin(numbered ? n : m->usual);
				return true;
			}
	return false;
}

/* Reads "name" or "name=n" at *at, begins it, and leaves *at behind it; false: unknown. */
static bool setting(const unsigned char **at, const unsigned char *end)
{
	const unsigned char *p = *at;
	char name[NAME_MAX];
	bool numbered = false;
	uint64_t n = 0;
	UINTN used = 0;

	for (; p<end && * p> ' ' && *p != '='; p++)
		if (used + 1 < NAME_MAX)
			name[used++] = (char)*p;
	name[used] = 0;
	if (p < end && *p == '=')
		for (numbered = true, p++; p < end && *p >= '0' && *p <= '9'; p++)
			n = 10 * n + *p - '0';
	while (p < end && *p <= ' ')
		p++;
	*at = p;
	say("hostile: ");
	say(name);
	say("\r\n");
	return begin(name, numbered, n);
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, UINT64 entry_ticks)
{
	real.system = system;
	real.boot = system->BootServices;
	real.runtime = system->RuntimeServices;
	EFI_LOADED_IMAGE *loaded = loaded_of(image);
	if (loaded->ImageCodeType != EfiRuntimeServicesCode)
		return start_as_driver(image, system);

	struct sent_bytes settings = file_read(loaded->DeviceHandle, SETTINGS);
	struct sent_bytes ours = file_read(loaded->DeviceHandle, IMAGE);
	if (!settings.data || !ours.data)
		return fail("no \\hostile.cfg or no image", EFI_NOT_FOUND);
	copy_tables();
	memory_watch_exit();
	for (const unsigned char *at = settings.data; at < settings.data + settings.n;)
		if (!setting(&at, settings.data + settings.n))
			return fail("there is no such misbehaviour", EFI_INVALID_PARAMETER);
	sum_tables();
	return start(image, ours, &given.system);
}
