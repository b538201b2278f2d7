// swift-format-ignore-file

// The part of Apple's Darwin overlay that the project uses (apple/swift: stdlib/public/Platform).
@_exported import Darwin
import SwiftShims

public var noErr: OSStatus { 0 }
public var errno: Int32 { get { __error().pointee } set { __error().pointee = newValue } }
public var stdin: UnsafeMutablePointer<FILE> { get { __stdinp } set { __stdinp = newValue } }
public var stdout: UnsafeMutablePointer<FILE> { get { __stdoutp } set { __stdoutp = newValue } }
public var stderr: UnsafeMutablePointer<FILE> { get { __stderrp } set { __stderrp = newValue } }

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { fatalError() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { fatalError() }
public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt { fatalError() }
public func ioctl(_ fd: CInt, _ request: UInt) -> CInt { fatalError() }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public var S_IRWXU: mode_t { 0o700 }
public var S_IRUSR: mode_t { 0o400 }
public var S_IWUSR: mode_t { 0o200 }
public var S_IXUSR: mode_t { 0o100 }
public var S_IRWXG: mode_t { 0o070 }
public var S_IRGRP: mode_t { 0o040 }
public var S_IWGRP: mode_t { 0o020 }
public var S_IXGRP: mode_t { 0o010 }
public var S_IRWXO: mode_t { 0o007 }
public var S_IROTH: mode_t { 0o004 }
public var S_IWOTH: mode_t { 0o002 }
public var S_IXOTH: mode_t { 0o001 }

@available(*, unavailable, message: "Please use threads or posix_spawn*()")
public func fork() -> Int32 { fatalError() }
@available(*, unavailable, message: "Please use threads or posix_spawn*()")
public func vfork() -> Int32 { fatalError() }

public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { unsafeBitCast(1, to: sig_t.self) }
public var SIG_ERR: sig_t { unsafeBitCast(-1, to: sig_t.self) }
public var SIG_HOLD: sig_t { unsafeBitCast(5, to: sig_t.self) }
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { fatalError() }
public let MAP_FAILED: UnsafeMutableRawPointer! = UnsafeMutableRawPointer(bitPattern: -1)

// tgmath.swift.gyb
public func fabs<T: FloatingPoint>(_ x: T) -> T { fatalError() }
public func sqrt<T: FloatingPoint>(_ x: T) -> T { fatalError() }
public func fma<T: FloatingPoint>(_ x: T, _ y: T, _ z: T) -> T { fatalError() }
public func remainder<T: FloatingPoint>(_ x: T, _ y: T) -> T { fatalError() }
public func fmod<T: FloatingPoint>(_ x: T, _ y: T) -> T { fatalError() }
public func ceil<T: FloatingPoint>(_ x: T) -> T { fatalError() }
public func floor<T: FloatingPoint>(_ x: T) -> T { fatalError() }
public func round<T: FloatingPoint>(_ x: T) -> T { fatalError() }
public func trunc<T: FloatingPoint>(_ x: T) -> T { fatalError() }
public func exp(_ x: Float) -> Float { fatalError() }
public func log(_ x: Float) -> Float { fatalError() }
public func sin(_ x: Float) -> Float { fatalError() }
public func cos(_ x: Float) -> Float { fatalError() }
public func pow(_ x: Float, _ y: Float) -> Float { fatalError() }

// Aliases that Apple's overlay declares for enumerators that are macros in C.
public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_MONOTONIC_RAW: clockid_t { _CLOCK_MONOTONIC_RAW }
public var CLOCK_UPTIME_RAW: clockid_t { _CLOCK_UPTIME_RAW }

// TiocConstants.swift
public var TIOCGWINSZ: UInt { 0x40087468 }
public var TIOCSWINSZ: UInt { 0x80087467 }
public var TIOCEXCL: UInt { 0x2000740d }
public var TIOCNXCL: UInt { 0x2000740e }
public var TIOCOUTQ: UInt { 0x40047473 }
public var TIOCSTI: UInt { 0x80017472 }
