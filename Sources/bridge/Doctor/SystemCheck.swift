// SystemCheck: what of this computer may come between a board and this program.

import BridgeLink
import Foundation
import HapticBridge

/// Looks at the system, changes nothing.
enum SystemCheck {
    /// Where the rules of this program may be.
    static let rules = "60-haptic-bridge.rules"
    private static let ruleFolders = [
        "/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d", "/run/udev/rules.d",
    ]

    /// The ports that are looked at.
    struct Ports {
        /// Those that are opened, to see whether a board answers.
        var opened: [PortDescription]
        /// Adapters that are left alone.
        var unopened: [PortDescription] = []
        /// What is wrong with the file of remembered boards.
        var note: String?
    }

    static func findings(_ ports: Ports) -> [Finding] {
        let memory = ports.note.map {
            Finding.remark($0, cure: "let a board answer once: bridge info --port PATH")
        }
        return ports.opened.flatMap(portFindings) + ports.unopened.map(adapter)
            + [memory].compactMap(\.self) + programFindings(ports.opened) + avrdude()
    }

    // MARK: Ports

    private static func portFindings(_ port: PortDescription) -> [Finding] {
        [access(port), latency(port)].compactMap { $0 }
    }

    private static func adapter(_ port: PortDescription) -> Finding {
        .remark(
            "\(port.path) (\(port.name)): not opened, as it may be something else than a board",
            cure: "if it is one: bridge doctor --port \(port.path)")
    }

    private static func access(_ port: PortDescription) -> Finding? {
        switch port.access {
        case .free: .fine("\(port.path) (\(port.name)) may be opened")
        case .noPermission:
            .problem(
                .noPermission, "\(port.path): you may not open it",
                cure: "\(port.isBoard ? installRules : rule(for: port)), "
                    + "or sudo usermod -aG dialout $USER and log in again")
        case .locked(let holder):
            .problem(.busy, "\(port.path): in use by \(holder)", cure: "end that program")
        }
    }

    private static let installRules =
        "sudo install -m 644 \(rulesPath) /etc/udev/rules.d && sudo udevadm control --reload "
        + "&& sudo udevadm trigger, and plug the board in again"

    /// The rules that users write for their own adapters: this program's own are about boards only.
    private static let adapterRules = "/etc/udev/rules.d/61-haptic-bridge-adapter.rules"

    /// The command that has the system treat an adapter as a board's, which is for its user to decide.
    private static func rule(for port: PortDescription) -> String {
        guard let usb = port.usb else { return "ask the administrator of this computer" }
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

    /// Where this program's rules lie: beside it when it is installed.
    private static var rulesPath: String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let installed = (Bundle.main.executableURL ?? program)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("share/haptic-bridge/\(rules)")
        let isInstalled = FileManager.default.fileExists(atPath: installed.path)
        return isInstalled ? installed.path : "Sources/bridge/Packaging/\(rules)"
    }

    /// FTDI's chips wait for 16 ms before they hand on what they have.
    private static func latency(_ port: PortDescription) -> Finding? {
        let name = port.path.split(separator: "/").last ?? ""
        let file = "/sys/class/tty/\(name)/device/latency_timer"
        guard let milliseconds = Int(contents(of: file)), milliseconds > 1 else { return nil }
        return .remark(
            "\(port.path): its adapter holds answers back for \(milliseconds) ms",
            cure: "echo 1 | sudo tee \(file), whenever it was plugged in")
    }

    // MARK: Programs

    private static func programFindings(_ candidates: [PortDescription]) -> [Finding] {
        let names = runningPrograms()
        var findings: [Finding] = []
        if names.contains("ModemManager") {
            findings += cures(against: candidates).map {
                .remark(
                    "ModemManager runs: it writes to ports that are plugged in, for seconds",
                    cure: $0)
            }
        }
        if names.contains("brltty"), candidates.contains(where: { $0.usb?.vendor == 0x1A86 }) {
            findings.append(
                .remark(
                    "brltty runs: it takes ports with a CH340 away",
                    cure: "sudo apt remove brltty, if no Braille display is used"))
        }
        return findings
    }

    /// What keeps ModemManager from ports, one cure for all boards and one for each adapter; none for
    /// what has its rules.
    private static func cures(against candidates: [PortDescription]) -> [String] {
        let hasRules = ruleFolders.contains {
            FileManager.default.fileExists(atPath: "\($0)/\(rules)")
        }
        let hasAdapterRules = FileManager.default.fileExists(atPath: adapterRules)
        let adapters = hasAdapterRules ? [] : candidates.filter { !$0.isBoard }
        let needsRules = !hasRules && candidates.contains { $0.isBoard }
        return (needsRules ? [installRules] : []) + adapters.map(rule)
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
                .remark("avrdude is not installed: boards cannot be flashed", cure: error.advice[0])
            ]
        }
    }

    // MARK: Settings

    /// What of the user's settings has less felt than was made.
    static func settings() -> [Finding] {
        let settings: HapticSettings
        do {
            settings = try HapticSettings.ofUser()
        } catch {
            return [Finding(error)]
        }
        let file = HapticSettings.file
        guard settings.isOn else {
            return [
                .remark(
                    "haptics are off in \(file): nothing is felt",
                    cure: #"set "haptics" to true there"#)
            ]
        }
        guard settings.gain < 1 else { return [] }
        return [
            .remark(
                "the gain in \(file) is \(settings.gain): all is felt weaker",
                cure: #"set "gain" to 1 there, or play with --gain 1"#)
        ]
    }

    /// The text of a small file, trimmed; empty if there is none.
    private static func contents(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
