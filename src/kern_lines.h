/* kern_lines.h - the batches of blocked filters, written once and compiled for each kind of processor.
 *
 * The including file has defined, all with the attribute KERN_TARGET:
 *   line_has(line, hash)              1 where all bits of the item are set in the line
 *   line_add(line, hash)              sets them; 1 where one was not
 *   ring_finds(lines, shape, hash)    1 where a generation has the item whole
 */

KERN_TARGET static void bloom1_has(const uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n,
                                   uint8_t *out) {
    for (size_t i = 0; i < n && i < BPKI_AHEAD; i++) __builtin_prefetch(lines + bpki_bloom_line(hash[i], blocks), 0);
    for (size_t i = 0; i < n; i++) {
        if (n - i > BPKI_AHEAD) __builtin_prefetch(lines + bpki_bloom_line(hash[i + BPKI_AHEAD], blocks), 0);
        out[i] = (uint8_t)line_has(lines + bpki_bloom_line(hash[i], blocks), hash[i]);
    }
}

KERN_TARGET static void bloom1_add(uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n, uint8_t *changed) {
    for (size_t i = 0; i < n && i < BPKI_AHEAD; i++) __builtin_prefetch(lines + bpki_bloom_line(hash[i], blocks), 1);
    for (size_t i = 0; i < n; i++) {
        if (n - i > BPKI_AHEAD) __builtin_prefetch(lines + bpki_bloom_line(hash[i + BPKI_AHEAD], blocks), 1);
        unsigned news = line_add(lines + bpki_bloom_line(hash[i], blocks), hash[i]);
        if (changed) changed[i] = (uint8_t)news;
    }
}

KERN_TARGET static void fetch2(const uint8_t *lines, uint64_t blocks, uint64_t hash) {
    __builtin_prefetch(lines + bpki_bloom_line(hash, blocks), 0);
    __builtin_prefetch(lines + bpki_bloom_line(bpki_bloom_second(hash), blocks), 0);
}

KERN_TARGET static void bloom2_has(const uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n,
                                   uint8_t *out) {
    for (size_t i = 0; i < n && i < BPKI_AHEAD; i++) fetch2(lines, blocks, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > BPKI_AHEAD) fetch2(lines, blocks, hash[i + BPKI_AHEAD]);
        uint64_t other = bpki_bloom_second(hash[i]);
        unsigned one = line_has(lines + bpki_bloom_line(hash[i], blocks), hash[i]);
        out[i] = (uint8_t)(one & line_has(lines + bpki_bloom_line(other, blocks), other));
    }
}

KERN_TARGET static void bloom2_add(uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n, uint8_t *changed) {
    for (size_t i = 0; i < n && i < BPKI_AHEAD; i++) fetch2(lines, blocks, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > BPKI_AHEAD) fetch2(lines, blocks, hash[i + BPKI_AHEAD]);
        uint64_t other = bpki_bloom_second(hash[i]);
        unsigned news = line_add(lines + bpki_bloom_line(hash[i], blocks), hash[i]);
        news |= line_add(lines + bpki_bloom_line(other, blocks), other);
        if (changed) changed[i] = (uint8_t)news;
    }
}

/* ---- rotating filters ---- */

KERN_TARGET static void fetch_ring(const uint8_t *lines, bpki_ring_shape s, uint64_t hash) {
    for (unsigned j = 0; j < s.k; j++, hash = bpki_bloom_second(hash)) {
        const uint8_t *line = lines + bpki_ring_group(hash, s), *end = line + (size_t)s.lines * BPKI_LINE;
        for (; line < end; line += BPKI_LINE) __builtin_prefetch(line, 0);
    }
}

KERN_TARGET static void ring_has(const uint8_t *lines, const bpki_ring_shape *shape, const uint64_t *hash, size_t n,
                                 uint8_t *out) {
    const bpki_ring_shape s = *shape; /* no write to the answers changes it */
    for (size_t i = 0; i < n && i < BPKI_RING_AHEAD; i++) fetch_ring(lines, s, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > BPKI_RING_AHEAD) fetch_ring(lines, s, hash[i + BPKI_RING_AHEAD]);
        out[i] = (uint8_t)ring_finds(lines, s, hash[i]);
    }
}

KERN_TARGET static uint64_t ring_add(uint8_t *lines, const bpki_ring_shape *shape, const uint64_t *hash, size_t n,
                                     uint8_t *changed) {
    const bpki_ring_shape s = *shape;
    uint8_t *current = lines + (size_t)s.current * BPKI_LINE;
    uint64_t written = 0;
    for (size_t i = 0; i < n && i < BPKI_RING_AHEAD; i++) fetch_ring(lines, s, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (n - i > BPKI_RING_AHEAD) fetch_ring(lines, s, hash[i + BPKI_RING_AHEAD]);
        unsigned found = ring_finds(lines, s, hash[i]), news = 0;
        uint64_t h = hash[i];
        for (unsigned j = 0; j < s.k && !(found && s.once); j++, h = bpki_bloom_second(h))
            news |= line_add(current + bpki_ring_group(h, s), h);
        written += news;
        if (changed) changed[i] = (uint8_t)(found ^ 1);
    }
    return written;
}
