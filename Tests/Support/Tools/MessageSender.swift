// MessageSender: sends Open Sound Control messages that are built byte by byte.

import Foundation
import SerialPorts

/// A socket that sends datagrams to a port of this computer.
public final class MessageSender {
    private let descriptor: Int32
    private var target = sockaddr_in()

    public init(port: Int) {
        #if os(Linux)
            descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_DGRAM, 0)
        #endif
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &target.sin_addr)
    }

    deinit { close(descriptor) }

    public func send(_ bytes: [UInt8]) {
        if let network = HostProgram.current.network as? VirtualNetwork {
            return network.send(bytes, to: UInt16(bigEndian: target.sin_port))
        }
        withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, bytes, bytes.count, 0, $0,
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends a message with numeric arguments.
    public func send(_ address: String, _ values: Float...) {
        send(Self.message(address, values))
    }

    /// Sends a message with a string argument.
    public func send(_ address: String, _ text: String) {
        send(Self.padded(address) + Self.padded(",s") + Self.padded(text))
    }

    /// Sends a message in a bundle whose time tag is a number of seconds from now.
    ///
    /// - Parameter now: the date that the time tag is relative to; nil for the current date.
    public func send(
        _ address: String, _ values: Float..., in seconds: Double, of now: Date? = nil
    ) {
        let present = Double(hostClock.calendarTime()) / 1_000_000
        let time = (now?.timeIntervalSince1970 ?? present) + seconds + 2_208_988_800
        let fraction = UInt64((time - time.rounded(.down)) * 4_294_967_296)
        let message = Self.message(address, values)
        send(
            Self.padded("#bundle") + Self.big(UInt64(time) << 32 | fraction)
                + Self.big(UInt32(message.count)) + message)
    }

    private static func message(_ address: String, _ values: [Float]) -> [UInt8] {
        padded(address) + padded("," + String(repeating: "f", count: values.count))
            + values.flatMap { big($0.bitPattern) }
    }

    /// Returns the bytes of a string with its terminator and padding.
    private static func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8) + [0]
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    private static func big(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
