// SystemCheck: finds conditions on this computer that can prevent access to a board.

import BoardFlashing
import BoardSharing
import BridgeLink
import Foundation
import HapticBridge
import SerialPorts

/// Checks the system without changing it.
enum SystemCheck {
    /// The name of the file that contains this program's udev rules for boards.
    static let rules = "60-haptic-bridge.rules"
    /// The name of the file that contains the udev rule for uinput, through which programs create
    /// gamepads.
    static let gamepadRules = "60-haptic-bridge-gamepad.rules"
    private static let ruleFolders = [
        "/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d", "/run/udev/rules.d",
    ]

    /// The ports to check.
    struct Ports {
        /// The ports that are opened to determine whether a board answers.
        var opened: [PortDescription]
        /// The USB-serial adapters that are not opened.
        var unopened: [PortDescription] = []
        /// A description of the defect in the file of remembered boards; nil if the file has no
        /// defect.
        var note: String?
    }

    static func findings(_ ports: Ports) -> [Finding] {
        let memory = ports.note.map {
            Finding.remark(
                $0, cure: "name the port once, and it is remembered: bridge info --port PATH")
        }
        return ports.opened.flatMap(portFindings) + ports.unopened.map(adapter)
            + [memory].compactMap(\.self) + programFindings(ports.opened) + avrdude()
            + bootLoaders()
    }

    // MARK: Ports

    private static func portFindings(_ port: PortDescription) -> [Finding] {
        [access(port), latency(port)].compactMap { $0 }
    }

    private static func adapter(_ port: PortDescription) -> Finding {
        .remark(
            "\(port.path) (\(port.name)): not opened, because it may be another device",
            cure: "if it is a board: bridge doctor --port \(port.path)")
    }

    private static func access(_ port: PortDescription) -> Finding? {
        switch port.access {
        case .free: .fine("\(port.path) (\(port.name)) can be opened")
        case .noPermission:
            .problem(
                .noPermission, "\(port.path): you have no permission to open it",
                cure: "\(port.isBoard ? installRules : rule(for: port.usb)), "
                    + "or sudo usermod -aG dialout $USER and log in again")
        case .locked(let holder) where BoardServerClient.isThere(port: port.path):
            .fine("\(port.path) (\(port.name)) is served by \(holder)")
        case .locked(let holder):
            .problem(.busy, "\(port.path): in use by \(holder)", cure: "end that program")
        }
    }

    private static let installRules =
        "\(command(thatInstalls: rules)), and plug the board in again"

    /// Returns the command that installs a file of this program's udev rules.
    static func command(thatInstalls rules: String) -> String {
        "sudo install -m 644 \(path(of: rules)) /etc/udev/rules.d && sudo udevadm control --reload "
            + "&& sudo udevadm trigger"
    }

    /// The file for the udev rules of a user's own adapters. The rules of this program cover boards
    /// only.
    private static let adapterRules = "/etc/udev/rules.d/61-haptic-bridge-adapter.rules"

    /// Returns the command that makes the system treat an adapter as a board. The user must run
    /// this command, because only the user can know whether the adapter is a board.
    private static func rule(for usb: PortDescription.USB?) -> String {
        guard let usb else { return "ask the administrator of this computer" }
        let id = usb.id.split(separator: ":")
        let parts =
            [
                #"SUBSYSTEM=="tty""#, #"ATTRS{idVendor}=="\#(id[0])""#,
                #"ATTRS{idProduct}=="\#(id[1])""#,
            ] + (usb.serialNumber.map { [#"ATTRS{serial}=="\#($0)""#] } ?? [])
            + [#"TAG+="uaccess""#, #"ENV{ID_MM_DEVICE_IGNORE}="1""#]
        return "echo '\(parts.joined(separator: ", "))' | sudo tee -a \(adapterRules) "
            + "&& sudo udevadm control --reload, and plug the board in again"
    }

    /// Returns the path of a file with udev rules: the installed file in `share/haptic-bridge`, or
    /// otherwise the file in the package.
    private static func path(of rules: String) -> String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let installed = (Bundle.main.executableURL ?? program)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("share/haptic-bridge/\(rules)")
        let isInstalled = FileManager.default.fileExists(atPath: installed.path)
        return isInstalled ? installed.path : "Sources/bridge/Packaging/\(rules)"
    }

    /// Returns a finding on the latency of FTDI chips, which delay received data by 16 ms by
    /// default.
    private static func latency(_ port: PortDescription) -> Finding? {
        let name = port.path.split(separator: "/").last ?? ""
        let file = "/sys/class/tty/\(name)/device/latency_timer"
        guard let milliseconds = Int(contents(of: file)), milliseconds > 1 else { return nil }
        return .remark(
            "\(port.path): its adapter delays answers by \(milliseconds) ms",
            cure: "echo 1 | sudo tee \(file), each time the adapter is plugged in")
    }

    // MARK: Programs

    /// The USB vendors of the adapters that brltty takes over: WCH (CH340), Silicon Labs (CP210x)
    /// and FTDI.
    private static let adapterVendors: Set<UInt16> = [0x1A86, 0x10C4, 0x0403]

    private static func programFindings(_ candidates: [PortDescription]) -> [Finding] {
        let names = runningPrograms()
        // brltty detaches the driver of an adapter, so its port disappears from the list.
        let lost = PortList.devicesWithoutPort(ofVendors: adapterVendors)
        var findings: [Finding] = []
        if names.contains("ModemManager") {
            findings += cures(against: candidates, lost).map {
                .remark(
                    "ModemManager is running: it writes to new ports for several seconds",
                    cure: $0)
            }
        }
        let isTaker = names.contains("brltty")
        findings += lost.map {
            .remark(
                "the USB device \($0.id) is plugged in, but has no serial port",
                cure: (isTaker
                    ? "remove brltty (see below), then unplug the device and plug it in again"
                    : "unplug the device and plug it in again; if that does not help, `sudo dmesg` "
                        + "shows whether a driver has found it"))
        }
        let mayBeTaken = candidates.contains { port in
            port.usb.map { adapterVendors.contains($0.vendor) } ?? false
        }
        if isTaker, !lost.isEmpty || candidates.isEmpty || mayBeTaken {
            findings.append(
                .remark(
                    "brltty is running: it takes over CH340, CP210x and FTDI adapters",
                    cure: "sudo apt remove brltty; if you use a Braille display, remove instead "
                        + "the id of the adapter from the udev rules of brltty"))
        }
        return findings
    }

    /// Returns the commands that prevent ModemManager from using the ports: one command for all
    /// boards, and one for each adapter. No command is returned for a port that an installed rule
    /// covers.
    ///
    /// - Parameter lost: the connected adapters that currently have no port.
    private static func cures(
        against candidates: [PortDescription], _ lost: [PortDescription.USB]
    ) -> [String] {
        let hasRules = ruleFolders.contains {
            FileManager.default.fileExists(atPath: "\($0)/\(rules)")
        }
        let hasAdapterRules = FileManager.default.fileExists(atPath: adapterRules)
        let adapters = candidates.filter { !$0.isBoard }.map(\.usb) + lost.map(Optional.some)
        let needsRules = !hasRules && candidates.contains { $0.isBoard }
        return (needsRules ? [installRules] : []) + (hasAdapterRules ? [] : adapters.map(rule))
    }

    private static func runningPrograms() -> Set<String> {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return Set(
            processes.filter { Int($0) != nil }.map { contents(of: "/proc/\($0)/comm") })
    }

    private static func avrdude() -> [Finding] {
        do {
            return [.fine("avrdude is installed: \(try Avrdude.find().path)")]
        } catch {
            return [
                .remark(
                    "avrdude is not installed, so an Arduino Uno or Nano cannot be flashed",
                    cure: error.advice[0])
            ]
        }
    }

    /// Returns a finding for each board that is in its boot loader and therefore has no port.
    static func bootLoaders() -> [Finding] {
        let drives =
            BootDrive.mounted().map { "\($0.path) (\($0.boardID))" } + BootDrive.unmounted()
        let command = BoardKind.pico.flashCommand(port: nil)
        return drives.map {
            .remark(
                "\($0): a board is in its boot loader",
                cure: "\(command), with the name of the board")
        }
    }

    /// Returns a finding if programs can neither share a board nor request silence.
    static func runtimeFolder() -> [Finding] {
        guard let obstacle = BoardServerClient.obstacle else { return [] }
        let folder = obstacle.prefix { $0 != ":" }
        return [
            .problem(
                .cannotCreate, obstacle,
                cure:
                    "sudo rm -r \(folder) (it is created again); until then programs can neither share a "
                    + "board, nor stop the playback of another program, nor request silence")
        ]
    }

    // MARK: Settings

    /// Returns findings on user settings that make haptics weaker than designed or switch them off.
    static func settings() -> [Finding] {
        let settings: HapticSettings
        do {
            settings = try HapticSettings.ofUser()
        } catch {
            return [Finding(error)]
        }
        let file = HapticSettings.file
        switch settings.effective(at: hostClock.date).unfelt {
        case .off?:
            return [
                .remark(
                    "haptics are off in \(file): nothing will be felt",
                    cure: "`bridge settings on` turns them on")
            ]
        case .quietHours?:
            return [
                .remark(
                    "these are the quiet hours in \(file): nothing will be felt",
                    cure: "`bridge settings quiet none` ends them")
            ]
        case .silence?:
            return [
                .remark(
                    "a program requests silence: nothing will be felt",
                    cure: "the silence ends when that program or its `bridge silence` command ends")
            ]
        case .gain?, nil: break
        }
        guard settings.gain < 1 else { return [] }
        return [
            .remark(
                "the gain in \(file) is \(settings.gain): everything feels weaker",
                cure: "`bridge settings gain 1`, or play with --gain 1")
        ]
    }

    /// Returns the text of a small file without leading and trailing white space; empty if the file
    /// cannot be read.
    private static func contents(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
