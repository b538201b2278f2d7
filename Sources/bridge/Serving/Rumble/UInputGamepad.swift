// UInputGamepad: a gamepad that this process creates through Linux's uinput.

import Foundation
import POSIX
import ProgramProtocols
import ToolSupport

/// A gamepad that this process creates through Linux's uinput. Its buttons and axes never move.
///
/// The structures and requests are those of `linux/uinput.h` on a computer with 64-bit pointers.
final class UInputGamepad: RumbleGamepad {
    let descriptor: Int32
    let path: String

    /// The device of uinput.
    static let device = "/dev/uinput"

    /// The buttons of a gamepad, `BTN_SOUTH` to `BTN_THUMBR`, and the axes of its two sticks,
    /// `ABS_X`, `ABS_Y`, `ABS_RX` and `ABS_RY`. Programs recognize a gamepad by these buttons and
    /// axes.
    private static let buttons = 0x130...0x13E
    private static let axes: [UInt8] = [0, 1, 3, 4]
    private static let keys = 1
    private static let absolutes = 3
    private static let forceFeedback = 0x15

    /// The requests of uinput.
    private enum Request {
        static let create: UInt = 0x5501
        static let setUp: UInt = 0x405C_5503
        static let setUpAxis: UInt = 0x401C_5504
        static let setEvent: UInt = 0x4004_5564
        static let setKey: UInt = 0x4004_5565
        static let setForceFeedback: UInt = 0x4004_556B
        static let name: UInt = 0x8040_552C
        static let beginUpload: UInt = 0xC068_55C8
        static let endUpload: UInt = 0x4068_55C9
        static let beginErasure: UInt = 0xC00C_55CA
        static let endErasure: UInt = 0x400C_55CB
    }

    /// Creates a gamepad with the given name. Throws `ToolError`.
    init(name: String) throws {
        #if os(Linux)
            descriptor = open(Self.device, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw ToolError(openingUInput: errno) }
            do {
                try Self.setUp(descriptor, name: name)
                path = Self.path(of: descriptor)
            } catch {
                close(descriptor)
                throw error
            }
        #else
            throw ToolError(
                .usage, "--rumble: a program can create a gamepad only on Linux",
                advice: "on this computer, use --buttplug, --osc or a client of the server")
        #endif
    }

    deinit { close(descriptor) }

    // MARK: Requests

    func answer(upload request: UInt32, _ accept: ([UInt8]) -> Bool) {
        // struct uinput_ff_upload: the request, the result, the effect and its predecessor.
        var upload = request.bytes + [UInt8](repeating: 0, count: 4 + 2 * RumbleEffect.size)
        guard control(Request.beginUpload, &upload) else { return }
        if !accept(Array(upload[8..<8 + RumbleEffect.size])) {
            upload.replaceSubrange(4..<8, with: UInt32(bitPattern: -EINVAL).bytes)
        }
        _ = control(Request.endUpload, &upload)
    }

    func answer(erasure request: UInt32) -> Int? {
        // struct uinput_ff_erase: the request, the result and the number of the effect.
        var erasure = request.bytes + [UInt8](repeating: 0, count: 8)
        guard control(Request.beginErasure, &erasure) else { return nil }
        _ = control(Request.endErasure, &erasure)
        return Int(erasure[8])
    }

    private func control(_ request: UInt, _ bytes: inout [UInt8]) -> Bool {
        ioctl(descriptor, request, &bytes) >= 0
    }
}

#if os(Linux)
    extension UInputGamepad {
        private static func setUp(_ descriptor: Int32, name: String) throws {
            func set(_ request: UInt, _ values: some Sequence<Int>) throws {
                for value in values { try check(ioctl(descriptor, request, CInt(value))) }
            }
            try set(Request.setEvent, [keys, absolutes, forceFeedback])
            try set(Request.setKey, buttons)
            try set(Request.setForceFeedback, ForceFeedback.allCases.map { Int($0.rawValue) })
            for axis in axes {
                // struct uinput_abs_setup: the axis, its value and its range.
                var bytes: [UInt8] = [axis, 0, 0, 0]
                for value: Int32 in [0, -32_768, 32_767, 0, 0, 0] {
                    bytes += UInt32(bitPattern: value).bytes
                }
                try check(ioctl(descriptor, Request.setUpAxis, &bytes))
            }
            // struct uinput_setup: BUS_VIRTUAL without further ids, the name, and the number of
            // effects.
            var bytes: [UInt8] = [6, 0, 0, 0, 0, 0, 0, 0]
            bytes += (Array(name.utf8.prefix(79)) + [UInt8](repeating: 0, count: 80)).prefix(80)
            bytes += UInt32(RumbleEffects.countMax).bytes
            try check(ioctl(descriptor, Request.setUp, &bytes))
            try check(ioctl(descriptor, Request.create))
        }

        private static func check(_ result: Int32) throws {
            guard result >= 0 else {
                throw ToolError(
                    .inputOutput,
                    "--rumble: \(device): creating a gamepad failed: \(errorText(errno))")
            }
        }

        /// Returns the path at which programs open the gamepad.
        private static func path(of descriptor: Int32) -> String {
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = ioctl(descriptor, Request.name, &bytes)
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            let files = try? FileManager.default.contentsOfDirectory(
                atPath: "/sys/devices/virtual/input/\(name)")
            let event = files?.first { $0.hasPrefix("event") } ?? name
            return "/dev/input/\(event)"
        }
    }
#endif

extension UInt32 {
    /// The bytes in little-endian order.
    fileprivate var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

extension ToolError {
    /// Creates the error for a device of uinput that cannot be opened.
    ///
    /// - Parameter code: the value of errno.
    init(openingUInput code: Int32) {
        let device = UInputGamepad.device
        switch code {
        case EACCES, EPERM:
            self.init(
                .noPermission, "--rumble: \(device): no permission to create a gamepad",
                advice: "install the rule for the user at the computer: "
                    + SystemCheck.command(thatInstalls: SystemCheck.gamepadRules))
        case ENOENT, ENODEV, ENXIO:
            self.init(
                .inputOutput, "--rumble: \(device): the kernel's module uinput is not loaded",
                advice: "load it: sudo modprobe uinput; load it at each start of the computer: "
                    + "echo uinput | sudo tee /etc/modules-load.d/uinput.conf")
        default:
            self.init(.inputOutput, "--rumble: \(device): \(errorText(code))")
        }
    }
}
