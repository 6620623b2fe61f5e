/* SPDX-License-Identifier: MIT */
/*
 * The head of anechoic.bz: the Linux/x86 boot protocol, version 2.15 (Linux,
 * Documentation/arch/x86/boot.rst), up to the call of the image's entry. linker/bz.lds has the
 * order of the parts. A loader enters it in one of three places:
 *
 *	setup, 16 bits    BIOS loaders: the memory map and a display by the BIOS, then head
 *	head, 32 bits     GRUB and others: page tables for 4 GiB, then head + 200h
 *	head + 200h       64 bits: kexec, and this program when it starts itself again
 *
 * The image that follows stays as it is: each start unfolds a new copy of it (door/unfold.c).
 * ESI or RSI is the zero page (boot.rst; zero-page.rst).
 */
#define SETUP_BYTES 0x2000
#define VBE         0xc00 /* answers of the display's BIOS: 512 bytes, */
#define MODE        0xe00 /* and 256 */
#define WIDEST      1280  /* pixels: room for the pictures and the text */
#define ZERO_PAGE   0x1000
#define E820_COUNT  (ZERO_PAGE + 0x1e8)
#define E820        (ZERO_PAGE + 0x2d0)
#define E820_MOST   128
#define SMAP        0x534d4150

	.section .setup, "ax"
	.code16
	.globl setup
setup:
	.org 0x1f1
	.byte SETUP_BYTES / 512 - 1
	.word 1                 /* root flags */
	.long protected_units   /* 16 bytes each */
	.word 0, 0xffff, 0      /* RAM disk, video mode, root device */
	.word 0xaa55
	jmp 1f                  /* 200h: two bytes */
	.ascii "HdrS"
	.word 0x020f
	.long 0
	.word 0x1000
	.word name - 0x200
	.byte 0                 /* 210h: the loader's number */
	.byte 1                 /* loaded at 1 MiB */
	.word SETUP_BYTES
	.long 0x100000          /* 214h: where head is */
	.long 0, 0, 0           /* RAM disk, boot sector */
	.word SETUP_BYTES - 0x200
	.byte 0, 0
	.long 0                 /* 228h: the command line */
	.long 0x7fffffff
	.long 0x200000          /* alignment */
	.byte 1, 12             /* relocatable, to multiples of 4 KiB at least */
	.word 3                 /* a 64-bit entry; above 4 GiB, too */
	.long 2047              /* characters of the command line */
	.long 0
	.quad 0
	.long 0, 0
	.quad 0                 /* 250h: setup_data */
	.quad 0x1000000         /* preferred address */
	.long protected_memory
	.long 0, 0              /* no entry for EFI: that is BOOTX64.EFI */
header_end:

name:	.asciz "anechoic"

1:	cld
	movw %ds, %ax
	movw %ax, %es
	movw $0x1f1, %si
	movw $(ZERO_PAGE + 0x1f1), %di
	movw $(header_end - setup - 0x1f1), %cx
	rep movsb

	/* The memory map: ACPI 6.5, 15.1. */
	xorl %ebx, %ebx
	movw $E820, %di
1:	movl $0xe820, %eax
	movl $SMAP, %edx
	movl $20, %ecx
	int $0x15
	jc 2f
	cmpl $SMAP, %eax
	jne 2f
	addw $20, %di
	incb E820_COUNT
	cmpb $E820_MOST, E820_COUNT
	je 2f
	testl %ebx, %ebx
	jnz 1b
2:
	/* The widest mode of 32-bit pixels in a linear framebuffer: VBE 3.0, 4.3 to 4.5. */
	xorl %ebp, %ebp         /* low half: its number; high half: its width */
	movl $0x32454256, VBE   /* "VBE2" */
	movw $VBE, %di
	movw $0x4f00, %ax
	int $0x10
	cmpw $0x4f, %ax
	jne 4f
	movw VBE + 14, %si
	movw VBE + 16, %fs
1:	movw %fs:(%si), %cx
	addw $2, %si
	cmpw $0xffff, %cx
	je 2f
	call mode_of
	jne 1b
	movw MODE + 18, %ax
	cmpw $WIDEST, %ax
	ja 1b
	shll $16, %eax
	movw %cx, %ax
	cmpl %ebp, %eax
	jbe 1b
	movl %eax, %ebp
	jmp 1b
2:	movw %bp, %cx
	testl %ebp, %ebp
	jz 4f
	call mode_of
	movw %bp, %bx
	orw $0x4000, %bx
	movw $0x4f02, %ax
	int $0x10
	cmpw $0x4f, %ax
	jne 4f
	movb $0x23, ZERO_PAGE + 0xf     /* struct screen_info: a framebuffer of VBE */
	movl MODE + 18, %eax
	movl %eax, ZERO_PAGE + 0x12     /* width and height */
	movw $32, ZERO_PAGE + 0x16
	movl MODE + 40, %eax
	movl %eax, ZERO_PAGE + 0x18
	movw MODE + 16, %ax
	movw %ax, ZERO_PAGE + 0x24      /* bytes of a line */
	movl MODE + 31, %eax
	movl %eax, ZERO_PAGE + 0x26     /* sizes and places of the colours */
	movl MODE + 35, %eax
	movl %eax, ZERO_PAGE + 0x2a
4:
	movw $0x2401, %ax       /* address line 20 */
	int $0x15
	inb $0x92, %al
	orb $2, %al
	andb $0xfe, %al
	outb %al, $0x92
	cli
	xorl %eax, %eax
	movw %ds, %ax
	shll $4, %eax
	leal ZERO_PAGE(%eax), %esi
	addl %eax, setup_gdt + 2
	addl %eax, far_jump
	lgdtl setup_gdt
	movl %cr0, %eax
	orb $1, %al
	movl %eax, %cr0
	.byte 0x66, 0xea        /* jump to code of 32 bits */
far_jump:
	.long 5f - setup
	.word 0x10

/* Ask for mode CX; "equal" if its pixels can be used. */
mode_of:
	pushw %si
	pushw %cx
	movw $MODE, %di
	movw $0x4f01, %ax
	int $0x10
	popw %cx
	popw %si
	cmpw $0x4f, %ax
	jne 1f
	movw MODE, %ax
	andw $0x99, %ax         /* supported, colours, graphics, linear */
	cmpw $0x99, %ax
	jne 1f
	cmpb $32, MODE + 25
	jne 1f
	cmpb $6, MODE + 27      /* direct colours */
1:	ret

	.code32
5:	movw $0x18, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	xorl %ebx, %ebx
	xorl %ebp, %ebp
	xorl %edi, %edi
	jmp *0x214(%esi)

	.balign 8
setup_gdt:
	.word 31                /* the first descriptor is never read */
	.long setup_gdt - setup
	.word 0
	.quad 0
	.quad 0x00cf9a000000ffff
	.quad 0x00cf92000000ffff
	.org VBE                /* an error if the code is longer */
	.org SETUP_BYTES

	.section .head, "ax"
	.globl head
head:
	cld
	cli
	leal 0x1e8(%esi), %esp  /* the zero page's scratch field, and the one below */
	call 1f
1:	popl %ebp
	subl $(1b - head), %ebp
	leal head_gdt - head(%ebp), %eax
	movl %eax, head_gdt + 2 - head(%ebp)
	lgdt head_gdt - head(%ebp)
	movw $0x18, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	leal early_tables(%ebp), %edi
	movl %edi, %ebx
	xorl %eax, %eax
	movl $(6 * 1024), %ecx
	rep stosl
	leal 0x1003(%ebx), %eax
	movl %eax, (%ebx)
	leal 0x1000(%ebx), %edi
	movl $4, %ecx
1:	addl $0x1000, %eax
	movl %eax, (%edi)
	addl $8, %edi
	loop 1b
	leal 0x2000(%ebx), %edi
	movl $0x83, %eax        /* 2 MiB each */
	movl $2048, %ecx
1:	movl %eax, (%edi)
	addl $0x200000, %eax
	addl $8, %edi
	loop 1b
	movl %cr4, %eax
	orl $0x20, %eax         /* physical address extension */
	movl %eax, %cr4
	movl %ebx, %cr3
	movl $0xc0000080, %ecx
	rdmsr
	orl $0x100, %eax        /* long mode */
	wrmsr
	leal head_64 - head(%ebp), %eax
	pushl $0x10
	pushl %eax
	movl %cr0, %eax
	orl $0x80000001, %eax
	movl %eax, %cr0
	lret

	.org 0x200
	.code64
head_64:
	cld
	cli
	leaq head(%rip), %rbx
	leaq head_gdt(%rip), %rax
	movq %rax, head_gdt + 2(%rip)
	lgdt head_gdt(%rip)
	movl $0x18, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	leaq protected_memory(%rbx), %rsp
	leaq 1f(%rip), %rax
	pushq $0x10
	pushq %rax
	lretq
1:	rdtsc
	shlq $32, %rdx
	leaq (%rdx, %rax), %r13
	movq %rsi, %r12
	movq %cr0, %rax
	andq $~0xc, %rax        /* no EM, no TS */
	orq $0x2, %rax          /* MP */
	movq %rax, %cr0
	movq %cr4, %rax
	orq $0x600, %rax        /* OSFXSR, OSXMMEXCPT */
	movq %rax, %cr4
	fninit
	leaq image(%rip), %rdi
	leaq unfolded(%rbx), %rsi
	call unfold
	movq %r12, %rdi
	movq %r13, %rsi
	movq %rbx, %rdx
	movl $protected_memory, %ecx
	leaq tables(%rbx), %r8
	movl $tables_bytes, %r9d
	call *%rax              /* does not return */

	.balign 8
head_gdt:
	.word 31                /* the first descriptor is never read */
	.quad 0
	.word 0, 0, 0
	.quad 0x00af9a000000ffff
	.quad 0x00cf92000000ffff

	.section .payload, "a"
	.globl image
image:	.incbin IMAGE
	.section .note.GNU-stack, "", @progbits
