/* The part of Apple's <sys/vsock.h> that swift-nio uses; zig does not contain this header. */
#ifndef _VSOCK_H_
#define _VSOCK_H_
#include <sys/ioccom.h>
#include <sys/types.h>
#define VMADDR_CID_ANY (-1U)
#define VMADDR_CID_HYPERVISOR 0
#define VMADDR_CID_RESERVED 1
#define VMADDR_CID_HOST 2
#define VMADDR_PORT_ANY (-1U)
#define IOCTL_VM_SOCKETS_GET_LOCAL_CID _IOR('v', 1, uint32_t)
struct sockaddr_vm {
    __uint8_t svm_len;
    sa_family_t svm_family;
    __uint16_t svm_reserved1;
    __uint32_t svm_port;
    __uint32_t svm_cid;
};
/* swift-nio uses these names from its own C module, to which Apple's headers export them. */
#define IP_PKTINFO 26
#define IP_RECVPKTINFO IP_PKTINFO
#endif
