# pfadd.awk - lines as Redis's protocol: a PFADD for every 500 of them, whose number must be a multiple of 500.
NR % 500 == 1 { printf "*502\r\n$5\r\nPFADD\r\n$5\r\nlines\r\n" }
{ printf "$%d\r\n%s\r\n", length($0), $0 }
