// Away from the loop: a visit to EL1, and a stay in WFI. Both find their way back through TPIDR_EL0 alone.

    .section .text.away, "ax", %progbits
    .p2align 2

// What the callee saves, to Private::away.
    .macro  save_frame at
    stp     x19, x20, [\at, #0x120]
    stp     x21, x22, [\at, #0x130]
    stp     x23, x24, [\at, #0x140]
    stp     x25, x26, [\at, #0x150]
    stp     x27, x28, [\at, #0x160]
    stp     x29, x30, [\at, #0x170]
    .endm

    .macro  load_frame at
    ldp     x19, x20, [\at, #0x120]
    ldp     x21, x22, [\at, #0x130]
    ldp     x23, x24, [\at, #0x140]
    ldp     x25, x26, [\at, #0x150]
    ldp     x27, x28, [\at, #0x160]
    ldp     x29, x30, [\at, #0x170]
    .endm

// x0 = word, x1 = its old value, x2 = end of waiting in ticks, x3 = whether WFE is woken in time.
// Waits at EL1 as the firmware waits at its own level; interrupts are taken there, by the same vectors.
    .global fw_wait_at_el1
fw_wait_at_el1:
    mrs     x9, tpidr_el0
    save_frame x9
    mov     x10, sp
    mrs     x11, daif
    stp     x10, x11, [x9, #0x180]
    msr     daifset, #0xf
    mrs     x12, hcr_el2
    mrs     x13, cntkctl_el1
    stp     x12, x13, [x9, #0x190]
    // the loader's EL1, as found (EL12 names: what EL1 will see)
    mrs     x14, S3_5_C12_C0_0          // VBAR_EL12
    mrs     x15, S3_5_C1_C0_0           // SCTLR_EL12
    stp     x14, x15, [x9, #0x1a0]
    mrs     x14, S3_5_C2_C0_0           // TTBR0_EL12
    mrs     x15, S3_5_C2_C0_1           // TTBR1_EL12
    stp     x14, x15, [x9, #0x1b0]
    mrs     x14, S3_5_C2_C0_2           // TCR_EL12
    mrs     x15, S3_5_C10_C2_0          // MAIR_EL12
    stp     x14, x15, [x9, #0x1c0]
    mrs     x14, sp_el1
    mrs     x15, S3_5_C4_C0_0           // SPSR_EL12
    stp     x14, x15, [x9, #0x1d0]
    mrs     x14, S3_5_C4_C0_1           // ELR_EL12
    str     x14, [x9, #0x1e0]
    // EL1 translates as this level does
    mrs     x14, ttbr0_el1
    msr     S3_5_C2_C0_0, x14
    mrs     x14, ttbr1_el1
    msr     S3_5_C2_C0_1, x14
    mrs     x14, tcr_el1
    msr     S3_5_C2_C0_2, x14
    mrs     x14, mair_el1
    msr     S3_5_C10_C2_0, x14
    mrs     x14, sctlr_el1
    msr     S3_5_C1_C0_0, x14
    mrs     x14, vbar_el1
    msr     S3_5_C12_C0_0, x14
    sub     x14, x10, #0x40
    msr     sp_el1, x14
    // EL1 may read the counter
    orr     x13, x13, #0x400
    msr     cntkctl_el1, x13
    // TGE, IMO, FMO, AMO off: interrupts at EL1 stay there
    bic     x12, x12, #0x08000000
    bic     x12, x12, #0x38
    msr     hcr_el2, x12
    isb
    tlbi    vmalle1
    dsb     nsh
    adr     x14, 1f
    msr     elr_el1, x14
    and     x11, x11, #0x3c0
    mov     x14, #5                     // EL1h
    orr     x11, x11, x14
    msr     spsr_el1, x11
    isb
    eret
1:  ldaxr   x4, [x0]
    cmp     x4, x1
    b.ne    2f
    isb
    mrs     x4, cntpct_el0
    cmp     x4, x2
    b.hs    2f
    cbz     x3, 1b
    wfe
    b       1b
2:  hvc     #0

// From the vector of synchronous exceptions of lower levels. TPIDRRO_EL0 holds x0.
    .global fw_back_from_el1
fw_back_from_el1:
    mrs     x9, tpidr_el0
    ldp     x12, x13, [x9, #0x190]
    msr     hcr_el2, x12
    msr     cntkctl_el1, x13
    isb
    ldp     x14, x15, [x9, #0x1a0]
    msr     S3_5_C12_C0_0, x14
    msr     S3_5_C1_C0_0, x15
    ldp     x14, x15, [x9, #0x1b0]
    msr     S3_5_C2_C0_0, x14
    msr     S3_5_C2_C0_1, x15
    ldp     x14, x15, [x9, #0x1c0]
    msr     S3_5_C2_C0_2, x14
    msr     S3_5_C10_C2_0, x15
    ldp     x14, x15, [x9, #0x1d0]
    msr     sp_el1, x14
    msr     S3_5_C4_C0_0, x15
    ldr     x14, [x9, #0x1e0]
    msr     S3_5_C4_C0_1, x14
    load_frame x9
    ldp     x10, x11, [x9, #0x180]
    mov     sp, x10
    isb
    msr     daif, x11
    ret

// Lies in WFI with a pattern in every general register (0x5a00 + number) and leaves what came back in Private::woken.
// Interrupts are masked, a timer wakes it.
    .global fw_wfi
fw_wfi:
    mrs     x9, tpidr_el0
    save_frame x9
    mov     x10, sp
    str     x10, [x9, #0x180]
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov     x\n, #(0x5a00 + \n)
    .endr
    dsb     sy
    wfi
    msr     tpidrro_el0, x0
    mrs     x0, tpidr_el0
    add     x0, x0, #0x220              // Private::woken
    stp     x1, x2, [x0, #0x8]
    stp     x3, x4, [x0, #0x18]
    stp     x5, x6, [x0, #0x28]
    stp     x7, x8, [x0, #0x38]
    stp     x9, x10, [x0, #0x48]
    stp     x11, x12, [x0, #0x58]
    stp     x13, x14, [x0, #0x68]
    stp     x15, x16, [x0, #0x78]
    stp     x17, x18, [x0, #0x88]
    stp     x19, x20, [x0, #0x98]
    stp     x21, x22, [x0, #0xa8]
    stp     x23, x24, [x0, #0xb8]
    stp     x25, x26, [x0, #0xc8]
    stp     x27, x28, [x0, #0xd8]
    stp     x29, x30, [x0, #0xe8]
    mrs     x1, tpidrro_el0
    str     x1, [x0]
    sub     x0, x0, #0x220
    load_frame x0
    ldr     x1, [x0, #0x180]
    mov     sp, x1
    ret
