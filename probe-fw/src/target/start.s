// Header, entries, vectors. State of a CPU lives at the pointer in TPIDR_EL0 (struct Private; offsets from there).
// EL1 names: with HCR_EL2.E2H set, as on Apple's cores always, they reach the EL2 registers.

    .section .head, "a", %progbits
    .ascii  "AICPROBE"
    .word   {header_version}
    .word   {protocol_version}
    .quad   {schema}
    .word   fw_boot - . + 0x18          // own offset added: the distance from the image's start
    .word   fw_worker - . + 0x1c

    .section .text.entry, "ax", %progbits
    .global fw_boot, fw_worker, fw_home
    .p2align 2

// x0 = block, x1 = logical id, x2 = microseconds. Returns a SliceStatus.
fw_boot:
    adrp    x3, rust_boot
    add     x3, x3, :lo12:rust_boot
    b       1f

// x0 = block, x1 = logical id. Returns a CpuState.
fw_worker:
    adrp    x3, rust_worker
    add     x3, x3, :lo12:rust_worker

1:  ldr     x9, [x0]                    // Control::magic
    ldr     x10, =({magic})
    cmp     x9, x10
    b.ne    9f
    cmp     x1, #{max_cpus}
    b.hs    9f
    mov     x10, #{stride}
    mov     x11, #{cpus}
    madd    x10, x1, x10, x11
    add     x10, x0, x10                // this CPU's region
    add     x9, x10, #{private}
    // what the loader expects to find again
    stp     x19, x20, [x9, #0x00]
    stp     x21, x22, [x9, #0x10]
    stp     x23, x24, [x9, #0x20]
    stp     x25, x26, [x9, #0x30]
    stp     x27, x28, [x9, #0x40]
    stp     x29, x30, [x9, #0x50]
    mov     x11, sp
    mrs     x12, daif
    msr     daifset, #0xf
    mrs     x13, spsel
    str     x11, [x9, #0x60]
    stp     x12, x13, [x9, #0x80]
    msr     spsel, #1
    mov     x11, sp
    mrs     x12, vbar_el1
    stp     x11, x12, [x9, #0x90]
    mrs     x11, tpidr_el0
    mrs     x12, tpidrro_el0
    stp     x11, x12, [x9, #0xa0]
    mrs     x11, cntkctl_el1
    stp     x11, x0, [x9, #0xb0]
    add     x11, x10, #{emergency}
    stp     x1, x11, [x9, #0xf0]
    str     xzr, [x9, #0x100]           // no fault yet
    // from here on a fault comes home
    msr     tpidr_el0, x9
    adrp    x11, fw_vectors
    add     x11, x11, :lo12:fw_vectors
    msr     vbar_el1, x11
    isb
    add     x11, x10, #{stack}
    mov     sp, x11
    mov     x29, xzr
    msr     daifclr, #0x7
    blr     x3

// Back to the loader with x0, from any depth.
fw_home:
    msr     daifset, #0xf
    mrs     x9, tpidr_el0
    ldr     x11, [x9, #0xb0]
    msr     cntkctl_el1, x11
    ldp     x11, x12, [x9, #0x90]
    msr     vbar_el1, x12
    mov     sp, x11
    ldp     x12, x13, [x9, #0x80]
    msr     spsel, x13
    ldr     x11, [x9, #0x60]
    mov     sp, x11
    ldp     x11, x13, [x9, #0xa0]
    msr     tpidrro_el0, x13
    msr     tpidr_el0, x11
    ldp     x19, x20, [x9, #0x00]
    ldp     x21, x22, [x9, #0x10]
    ldp     x23, x24, [x9, #0x20]
    ldp     x25, x26, [x9, #0x30]
    ldp     x27, x28, [x9, #0x40]
    ldp     x29, x30, [x9, #0x50]
    isb
    msr     daif, x12
    ret
9:  mov     x0, #{bad_context}
    cmp     x1, #0
    mov     x1, #{bad_worker}
    csel    x0, x0, x1, eq
    ret
    .ltorg

    .section .text.vectors, "ax", %progbits
fw_fiq:
    sub     sp, sp, #0xc0
    stp     x0, x1, [sp, #0x00]
    stp     x2, x3, [sp, #0x10]
    stp     x4, x5, [sp, #0x20]
    stp     x6, x7, [sp, #0x30]
    stp     x8, x9, [sp, #0x40]
    stp     x10, x11, [sp, #0x50]
    stp     x12, x13, [sp, #0x60]
    stp     x14, x15, [sp, #0x70]
    stp     x16, x17, [sp, #0x80]
    stp     x18, x30, [sp, #0x90]
    // guarded accesses inside nest
    mrs     x1, elr_el1
    mrs     x2, spsr_el1
    stp     x1, x2, [sp, #0xa0]
    mrs     x0, tpidr_el0
    bl      rust_fiq                    // returns bits to set in the interrupted PSTATE
    ldp     x1, x2, [sp, #0xa0]
    orr     x2, x2, x0
    msr     elr_el1, x1
    msr     spsr_el1, x2
    ldp     x2, x3, [sp, #0x10]
    ldp     x4, x5, [sp, #0x20]
    ldp     x6, x7, [sp, #0x30]
    ldp     x8, x9, [sp, #0x40]
    ldp     x10, x11, [sp, #0x50]
    ldp     x12, x13, [sp, #0x60]
    ldp     x14, x15, [sp, #0x70]
    ldp     x16, x17, [sp, #0x80]
    ldp     x18, x30, [sp, #0x90]
    ldp     x0, x1, [sp, #0x00]
    add     sp, sp, #0xc0
    eret

// A fault: an answer if it happened inside the guarded stubs, else the end. TPIDRRO_EL0 holds x0 meanwhile.
fw_sync:
    msr     tpidrro_el0, x0
    mrs     x0, tpidr_el0
    stp     x1, x2, [x0, #0xc0]
    mov     x1, #0
    b       2f
fw_serror:
    msr     tpidrro_el0, x0
    mrs     x0, tpidr_el0
    stp     x1, x2, [x0, #0xc0]
    mov     x1, #1
2:  stp     x3, x1, [x0, #0xd0]
    mrs     x1, elr_el1
    adrp    x2, __guarded_start
    add     x2, x2, :lo12:__guarded_start
    adrp    x3, __guarded_end
    add     x3, x3, :lo12:__guarded_end
    cmp     x1, x2
    b.lo    3f
    cmp     x1, x3
    b.hs    3f
    add     x1, x1, #4
    msr     elr_el1, x1
    mrs     x1, esr_el1
    orr     x1, x1, #0x8000000000000000
    ldr     x2, [x0, #0xc8]
    ldr     x3, [x0, #0xd0]
    mrs     x0, tpidrro_el0
    eret
3:  ldr     x1, [x0, #0xd8]
    b       fw_fatal

// From EL1, where this CPU was sent to wait: HVC is the way back, anything else a fault like at this level.
fw_lower_sync:
    msr     tpidrro_el0, x0
    mrs     x0, esr_el1
    lsr     x0, x0, #26
    cmp     x0, #0x16
    b.eq    fw_back_from_el1
    mrs     x0, tpidrro_el0
    b       fw_sync

fw_unexpected:
    mov     x1, #3
fw_fatal:
    mrs     x0, tpidr_el0
    ldr     x2, [x0, #0xf8]
    mov     sp, x2
    b       rust_fatal

    .section .vectors, "ax", %progbits
    .p2align 11
    .global fw_vectors
fw_vectors:
    b       fw_unexpected               // from SP_EL0
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_sync                     // from this level
    .p2align 7
    sub     sp, sp, #0xa0
    stp     x0, x1, [sp, #0x00]
    stp     x2, x3, [sp, #0x10]
    stp     x4, x5, [sp, #0x20]
    stp     x6, x7, [sp, #0x30]
    stp     x8, x9, [sp, #0x40]
    stp     x10, x11, [sp, #0x50]
    stp     x12, x13, [sp, #0x60]
    stp     x14, x15, [sp, #0x70]
    stp     x16, x17, [sp, #0x80]
    stp     x18, x30, [sp, #0x90]
    mrs     x0, tpidr_el0
    bl      rust_irq
    ldp     x2, x3, [sp, #0x10]
    ldp     x4, x5, [sp, #0x20]
    ldp     x6, x7, [sp, #0x30]
    ldp     x8, x9, [sp, #0x40]
    ldp     x10, x11, [sp, #0x50]
    ldp     x12, x13, [sp, #0x60]
    ldp     x14, x15, [sp, #0x70]
    ldp     x16, x17, [sp, #0x80]
    ldp     x18, x30, [sp, #0x90]
    ldp     x0, x1, [sp, #0x00]
    add     sp, sp, #0xa0
    eret
    .p2align 7
    b       fw_fiq
    .p2align 7
    b       fw_serror
    .p2align 7
    b       fw_lower_sync               // from lower levels
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
    b       fw_unexpected
    .p2align 7
