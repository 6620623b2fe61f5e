/* SPDX-License-Identifier: MIT */
/*
 * Whether a volume can be written, found out without a write. A device that refuses one may be lost
 * by that: EDK2's driver for USB disks repeats a refused write five times, then resets the port
 * (UsbMassWriteBlocks). Under OVMF 2022.11 the device does not answer from then on, and to connect
 * drivers to it takes more than nine minutes. That driver does not mark a CD as read-only either
 * (UsbBootDetectMedia), and a CD is what many servers' virtual media are.
 */
#include "efi/loader.h"

#include "lib/boot_option.h"

bool write_protected(EFI_HANDLE handle)
{
	static EFI_GUID block_io = EFI_BLOCK_IO_PROTOCOL_GUID;
	EFI_BLOCK_IO *device = protocol_of(handle, &block_io);
	EFI_DEVICE_PATH *path = path_of(handle);

	return (device && device->Media->ReadOnly) || (path && device_path_is_cd(path, PATH_MOST));
}
