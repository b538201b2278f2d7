// The modules that `import HapticBridge` makes available in addition to this module's own names.

// An app uses boards, their settings and the statistics of engines together with engines.
@_exported import BoardEngine
// `import CoreHaptics` alone gives an app `TimeInterval`, `URL`, `Data` and `NSObject`, and code
// that was written for it has no other import. All of Foundation is exported, because Essentials
// has no `NSObject`.
@_exported import Foundation
@_exported import HapticBoards
