/* SPDX-License-Identifier: MIT */
/*
 * Files, by the firmware. Results are written to \results\ on the volume that the image came from,
 * which is made if it is not there; else to the server, if this was a network start; else to the
 * directory of that name on any other volume that has one. On the boot volume all files are in this
 * program's home: the folder of the image if the configuration is there, too (`anechoic boot` puts
 * both into \EFI\anechoic\), else the root.
 */
#include <string.h>

#include "efi/firmware.h"
#include "lib/boot_option.h"

#define CONFIGURATION "\\anechoic.cfg"
#define HOME_FOLDER   64 /* most bytes of its name: with a longer one, the home is the root */
#define FOLDER        "\\results"
#define PATH          192
#define WRITE         (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)
#define PART          (64 * 1024) /* bytes of a call: some drivers for sticks fail with more */

static char home[HOME_FOLDER];      /* "": the root */
static EFI_FILE_HANDLE home_volume; /* the volume of the home */

static EFI_FILE_HANDLE root;   /* of the volume whose \results\ is used; NULL: none */
static EFI_FILE_HANDLE result; /* the file being written */
static EFI_STATUS refused;     /* files_refused */

/*
 * Find the home on the boot volume, whose root is given (NULL: it has no files). From then on
 * file_open_on takes paths on that volume from there.
 */
static void image_folder_find(struct machine *m, EFI_FILE_HANDLE boot_root)
{
	CHAR16 path[HOME_FOLDER + sizeof CONFIGURATION];
	char beside[HOME_FOLDER];
	EFI_FILE_HANDLE file;

	m->home_folder = home;
	if (!boot_root || !fw.loaded->FilePath ||
		!device_path_folder(fw.loaded->FilePath, PATH_MOST, beside, sizeof beside))
		return;
	home_volume = boot_root;
	text_widen(path, sizeof path / sizeof *path, beside);
	text_widen(path + strlen(beside), sizeof CONFIGURATION, CONFIGURATION);
	if (EFI_ERROR(boot_root->Open(boot_root, &file, path, EFI_FILE_MODE_READ, 0)))
		return;
	file->Close(file);
	memcpy(home, beside, sizeof beside);
}

/* Returns the status of a writing call; remembers one that blames the device. */
static EFI_STATUS written(EFI_STATUS status)
{
	if (status == EFI_WRITE_PROTECTED || status == EFI_DEVICE_ERROR ||
		status == EFI_VOLUME_CORRUPTED || status == EFI_NO_MEDIA ||
		status == EFI_MEDIA_CHANGED)
		refused = status;
	return status;
}

/* The error with which a device has refused a write, or failed in one; EFI_SUCCESS: none has. */
static EFI_STATUS files_refused(void)
{
	return refused;
}

/* Open a path on any volume; EFI_UNSUPPORTED if the volume is NULL. */
static EFI_STATUS file_open_on(EFI_FILE_HANDLE volume, const char *path, UINT64 mode,
	UINT64 attributes, EFI_FILE_HANDLE *out)
{
	CHAR16 wide[PATH];

	if (!volume)
		return EFI_UNSUPPORTED;
	const char *folder = volume == home_volume ? home : "";

	text_widen(wide, PATH, folder);
	text_widen(wide + strlen(folder), PATH - strlen(folder), path);
	EFI_STATUS status = volume->Open(volume, out, wide, mode, attributes);
	return mode & EFI_FILE_MODE_WRITE ? written(status) : status;
}

static EFI_STATUS open_result(const char *name, UINT64 mode, EFI_FILE_HANDLE *out)
{
	char path[PATH] = FOLDER "\\";
	size_t used = *name == '\\' ? 0 : strlen(path), n = strlen(name);

	if (used + n >= PATH - HOME_FOLDER)
		return EFI_INVALID_PARAMETER;
	memcpy(path + used, name, n + 1);
	return file_open_on(root, path, mode, 0, out);
}

static uint64_t delete (const char *name)
{
	EFI_FILE_HANDLE file;

	EFI_STATUS status = open_result(name, WRITE, &file);
	if (EFI_ERROR(status))
		return status;
	status = file->Delete(file);
	return status == EFI_SUCCESS ? status : EFI_WRITE_PROTECTED; /* a warning: no error bit */
}

/*
 * Create a file. EFI_FILE_MODE_CREATE does not truncate an existing file, so that is deleted first.
 */
static uint64_t create(const char *name)
{
	if (result)
		return EFI_ALREADY_STARTED;
	if (delete (name) == EFI_WRITE_PROTECTED)
		return EFI_WRITE_PROTECTED;
	return open_result(name, WRITE | EFI_FILE_MODE_CREATE, &result);
}

static uint64_t append(const void *data, size_t n)
{
	const unsigned char *from = data;

	if (!result)
		return EFI_NOT_STARTED;
	while (n) {
		UINTN part = n < PART ? n : PART;
		EFI_STATUS status = written(result->Write(result, &part, (void *)from));
		if (EFI_ERROR(status))
			return status;
		if (!part)
			return EFI_VOLUME_FULL;
		from += part;
		n -= part;
	}
	return written(result->Flush(result));
}

static uint64_t close(void)
{
	if (!result)
		return EFI_NOT_STARTED;
	EFI_STATUS status = result->Close(result);
	result = NULL;
	return status;
}

static uint64_t compare(const char *name, const void *data, size_t n, enum file_match *match)
{
	static unsigned char buffer[16 * 1024];
	const unsigned char *expect = data;
	EFI_FILE_HANDLE file;
	size_t at = 0;

	*match = FILE_OTHER;
	EFI_STATUS status = open_result(name, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	for (;;) {
		UINTN part = sizeof(buffer);
		status = file->Read(file, &part, buffer);
		if (EFI_ERROR(status) || part > n - at || memcmp(buffer, expect + at, part))
			break;
		at += part;
		if (!part) {
			*match = at == n ? FILE_SAME : FILE_BEGINNING;
			break;
		}
	}
	file->Close(file);
	return status;
}

static uint64_t read(const char *name, void *data, size_t *n)
{
	EFI_FILE_HANDLE file;
	size_t most = *n;

	*n = 0;
	EFI_STATUS status = open_result(name, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	while (*n < most) {
		UINTN part = most - *n < PART ? most - *n : PART;
		status = file->Read(file, &part, (unsigned char *)data + *n);
		if (EFI_ERROR(status) || !part)
			break;
		*n += part;
	}
	file->Close(file);
	return status;
}

static bool exists(const char *name)
{
	EFI_FILE_HANDLE file;

	if (EFI_ERROR(open_result(name, EFI_FILE_MODE_READ, &file)))
		return false;
	file->Close(file);
	return true;
}

#define ENTRIES_MOST 65536 /* of a folder: a driver may return the same entry for ever */

/* Returns true if the name contains that part. */
static bool has(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (; strlen(name) >= n; name++)
		if (!memcmp(name, part, n))
			return true;
	return false;
}

/* Convert the name to text. Returns false if it is longer, or has characters other than ASCII's. */
static bool narrow(const CHAR16 *name, char *out, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		out[i] = (char)name[i];
		if (!name[i])
			return true;
		if (name[i] > '~')
			return false;
	}
	return false;
}

static bool before(const char *name, const char *part, char *out, size_t bytes)
{
	static union {
		EFI_FILE_INFO info;
		unsigned char bytes[sizeof(EFI_FILE_INFO) + 512];
	} entry;
	char last[PATH] = "", found[PATH];
	EFI_FILE_HANDLE folder;

	if (result || EFI_ERROR(open_result(FOLDER, EFI_FILE_MODE_READ, &folder)))
		return false;
	for (unsigned i = 0; i < ENTRIES_MOST; i++) {
		UINTN n = sizeof(entry);

		if (EFI_ERROR(folder->Read(folder, &n, &entry)) || !n)
			break;
		if (!(entry.info.Attribute & EFI_FILE_DIRECTORY) &&
			narrow(entry.info.FileName, found, bytes) && has(found, part) &&
			strcmp(found, name) < 0 && strcmp(last, found) < 0)
			memcpy(last, found, bytes);
	}
	folder->Close(folder);
	memcpy(out, last, bytes);
	return *out;
}

/*
 * Put result files into \results\ of that volume from now on, if a file can be written there: a
 * medium reports only at a write that it cannot be written.
 */
static EFI_STATUS files_try(EFI_FILE_HANDLE volume)
{
	static const char name[] = "anechoic.tmp";

	if (result)
		close();
	root = volume;
	EFI_STATUS status = create(name);
	if (!EFI_ERROR(status)) {
		status = append("\n", 1);
		close();
		delete (name);
	}
	if (EFI_ERROR(status))
		root = NULL;
	return status;
}

static void use_volumes(struct machine *m)
{
	m->file_create = create;
	m->file_append = append;
	m->file_close = close;
	m->file_compare = compare;
	m->file_read = read;
	m->file_delete = delete;
	m->file_exists = exists;
	m->file_before = before;
	m->file_prefix = FOLDER "\\";
	m->file_gap = " ";
}

#define STATE      "\\anechoic.state"
#define STATE_MOST 1024 /* bytes, more than it ever has: a longer file is not ours */

static EFI_GUID file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

static EFI_FILE_HANDLE boot_root; /* NULL: none */
static EFI_STATUS boot_refused;   /* an error: the volume must not be touched any more */
static EFI_HANDLE *volumes;
static UINTN nvolumes, next_volume;
static unsigned char found[STATE_MOST]; /* contents of the state file at the start */
static UINTN found_bytes;
static EFI_STATUS found_status; /* why it was not read */
static struct machine *machine;

static EFI_FILE_HANDLE open_root(EFI_HANDLE handle)
{
	EFI_FILE_IO_INTERFACE *volume = protocol_of(handle, &file_system);
	EFI_FILE_HANDLE root;

	if (!volume || EFI_ERROR(volume->OpenVolume(volume, &root)))
		return NULL;
	return root;
}

EFI_STATUS file_open(const char *path, UINT64 mode, EFI_FILE_HANDLE *out)
{
	return boot_refused ? boot_refused : file_open_on(boot_root, path, mode, 0, out);
}

static bool is_file(EFI_FILE_HANDLE root)
{
	static EFI_GUID file_info = EFI_FILE_INFO_ID;
	static union {
		EFI_FILE_INFO info;
		unsigned char bytes[512];
	} data;
	UINTN n = sizeof(data);
	EFI_FILE_HANDLE file;

	if (EFI_ERROR(file_open_on(root, FOLDER, EFI_FILE_MODE_READ, 0, &file)))
		return false;
	EFI_STATUS status = file->GetInfo(file, &file_info, &n, &data);
	file->Close(file);
	return !EFI_ERROR(status) && !(data.info.Attribute & EFI_FILE_DIRECTORY);
}

static const char *absence(EFI_STATUS status)
{
	switch (status) {
	case EFI_WRITE_PROTECTED:
	case EFI_ACCESS_DENIED:
		return "the boot volume is write-protected";
	case EFI_VOLUME_FULL:
		return "the boot volume is full";
	case EFI_UNSUPPORTED:
		return "the boot volume cannot be written";
	case EFI_VOLUME_CORRUPTED:
		return "the file system of the boot volume is damaged";
	case EFI_DEVICE_ERROR:
		return "the boot volume gives errors when it is written";
	case EFI_NO_MEDIA:
	case EFI_MEDIA_CHANGED:
		return "the boot volume was taken out";
	default: /* most firmware opens a file as if it were a directory, and finds no file in it */
		return is_file(boot_root)
			? "\\results of the boot volume is a file, not a directory"
			: "\\results cannot be written on the boot volume";
	}
}

/*
 * Returns true if a volume cannot be written, without trying. A device that refuses a write may be
 * lost by it: EDK2's driver for USB disks repeats a refused write five times, then resets the port
 * (UsbMassWriteBlocks). Under OVMF 2022.11 the device does not answer from then on, and connecting
 * drivers to it takes more than nine minutes. That driver does not mark a CD as read-only either
 * (UsbBootDetectMedia), and many servers' virtual media are CDs.
 */
static bool write_protected(EFI_HANDLE handle)
{
	static EFI_GUID block_io = EFI_BLOCK_IO_PROTOCOL_GUID;
	EFI_BLOCK_IO *device = protocol_of(handle, &block_io);
	EFI_DEVICE_PATH *path = path_of(handle);

	return (device && device->Media->ReadOnly) || (path && device_path_is_cd(path, PATH_MOST));
}

/* Try \results\ of the boot volume. Returns NULL if it is used; else why not. */
static const char *try_boot_volume(void)
{
	EFI_FILE_HANDLE results;

	if (!boot_root)
		return "the boot device has no file system that the firmware reads";
	if (write_protected(fw.loaded->DeviceHandle))
		return absence(boot_refused = EFI_WRITE_PROTECTED);
	EFI_STATUS status = file_open_on(boot_root, FOLDER, WRITE | EFI_FILE_MODE_CREATE,
		EFI_FILE_DIRECTORY, &results);
	if (!EFI_ERROR(status)) {
		results->Close(results);
		status = files_try(boot_root);
	}
	boot_refused = files_refused();
	return EFI_ERROR(status) ? absence(status) : NULL;
}

/*
 * Try another volume. The directory must be there already: nobody wants files on each disk of the
 * machine.
 */
static bool try_other(EFI_HANDLE handle)
{
	EFI_FILE_HANDLE root, results;

	if (handle == fw.loaded->DeviceHandle || write_protected(handle))
		return false;
	root = open_root(handle);
	if (!root)
		return false;
	if (!EFI_ERROR(file_open_on(root, FOLDER, EFI_FILE_MODE_READ, 0, &results))) {
		results->Close(results);
		if (!is_file(root) && !EFI_ERROR(files_try(root)))
			return true;
	}
	root->Close(root);
	return false;
}

/*
 * Connect drivers to all devices: firmware that boots fast finds no other disks by itself. Do not
 * if a device has refused a write: it may be lost, and the firmware would wait for it
 * (write_protected).
 */
static void connect_all(void)
{
	EFI_HANDLE *handles;
	UINTN n;

	if (files_refused() ||
		EFI_ERROR(fw.boot->LocateHandleBuffer(AllHandles, NULL, NULL, &n, &handles)))
		return;
	print_wide(L"looking for another disk: all devices are connected (servers: minutes)\r\n");
	while (n--)
		fw.boot->ConnectController(handles[n], NULL, NULL, TRUE);
	fw.boot->FreePool(handles);
}

static bool next(void)
{
	if (!volumes)
		connect_all();
	if (!volumes &&
		EFI_ERROR(fw.boot->LocateHandleBuffer(ByProtocol, &file_system, NULL, &nvolumes,
			&volumes)))
		nvolumes = 0;
	while (next_volume < nvolumes)
		if (try_other(volumes[next_volume++])) {
			use_volumes(machine); /* no longer the server */
			machine->file_absent = NULL;
			machine->file_elsewhere = true;
			return true;
		}
	return false;
}

static bool look_again(void)
{
	if (volumes)
		fw.boot->FreePool(volumes);
	volumes = NULL;
	next_volume = 0;
	return next();
}

/*
 * The state file (kernel/journal.h) is on the boot volume; if that cannot be written, with the
 * results. On the boot volume it is read before anything is written. It is opened anew for each
 * write, because the position is 0 then; its contents are overwritten, never truncated or deleted.
 */
static bool state_is_elsewhere(void)
{
	return machine->boot_volume_absent && !machine->file_absent;
}

static EFI_STATUS read_state(unsigned char out[STATE_MOST], UINTN *n)
{
	EFI_FILE_HANDLE file;

	EFI_STATUS status = file_open(STATE, EFI_FILE_MODE_READ, &file);
	if (EFI_ERROR(status))
		return status;
	*n = STATE_MOST;
	status = file->Read(file, n, out);
	file->Close(file);
	return status;
}

static uint64_t state_read(void *data, size_t *n)
{
	if (state_is_elsewhere())
		return machine->file_read(STATE, data, n);
	if (EFI_ERROR(found_status))
		return found_status;
	if (*n > found_bytes)
		*n = found_bytes;
	memcpy(data, found, *n);
	return EFI_SUCCESS;
}

static EFI_STATUS write_elsewhere(const void *data, size_t n)
{
	enum file_match match = FILE_OTHER;

	EFI_STATUS status = machine->file_create(STATE);
	if (EFI_ERROR(status))
		return status;
	status = machine->file_append(data, n);
	EFI_STATUS closed = machine->file_close();
	if (!EFI_ERROR(status))
		status = closed;
	if (!EFI_ERROR(status))
		status = machine->file_compare(STATE, data, n, &match);
	if (!EFI_ERROR(status) && match != FILE_SAME && match != FILE_TAKEN)
		status = EFI_CRC_ERROR;
	return status;
}

static uint64_t state_write(const void *data, size_t n)
{
	static unsigned char back[STATE_MOST];
	const unsigned char *from = data;
	EFI_FILE_HANDLE file;
	UINTN part = n;

	if (state_is_elsewhere())
		return write_elsewhere(data, n);
	EFI_STATUS status = file_open(STATE, WRITE | EFI_FILE_MODE_CREATE, &file);
	if (EFI_ERROR(status))
		return status;
	for (size_t done = 0; !EFI_ERROR(status) && done < n; done += part) {
		part = n - done; /* some firmware writes less, and reports it */
		status = file->Write(file, &part, (void *)(from + done));
		if (!EFI_ERROR(status) && !part)
			status = EFI_VOLUME_FULL;
	}
	if (!EFI_ERROR(status))
		status = file->Flush(file);
	file->Close(file);
	if (!EFI_ERROR(status))
		status = read_state(back, &part);
	if (!EFI_ERROR(status) && (part != n || memcmp(back, data, n) != 0))
		status = EFI_CRC_ERROR;
	return status;
}

void files_open(struct machine *m)
{
	use_volumes(m);
	boot_root = open_root(fw.loaded->DeviceHandle);
	image_folder_find(m, boot_root);
	found_status = read_state(found, &found_bytes);
	m->state_read = state_read;
	m->state_write = state_write;
}

void places_find(struct machine *m)
{
	machine = m;
	m->file_next_place = next;
	m->file_look_again = look_again;
	m->boot_volume_absent = m->file_absent = try_boot_volume();
	if (!m->file_absent)
		return;
	const char *server = server_results(m);
	if (!server || *server)
		m->file_absent = server; /* a network start */
	if (m->file_absent)
		next();
}
