import { AbsenceDialog } from "../features/decisions/AbsenceDialog";
import { ConflictsDialog } from "../features/decisions/ConflictsDialog";
import { MachineDialog } from "../features/decisions/MachineDialog";
import { ExportDialog } from "../features/files/ExportDialog";
import { ImportDialog } from "../features/files/ImportDialog";
import { AddHostDialog } from "../features/hosts/AddHostDialog";
import { ForgetDialog } from "../features/hosts/ForgetDialog";
import { TrustDialog } from "../features/hosts/TrustDialog";
import { JournalDialog } from "../features/journal/JournalDialog";
import { OutcomesDialog } from "../features/register/Outcomes";
import { RegisterDialog } from "../features/register/RegisterDialog";
import { ReleaseDialog } from "../features/register/ReleaseDialog";
import { useView, useViewStore } from "../store/context";

/** The dialog that is open, if any. */
export function Dialogs() {
  const { dialog } = useView();
  const { close } = useViewStore();
  switch (dialog?.is) {
    case undefined:
      return null;
    case "register":
      return <RegisterDialog host={dialog.host} onClose={close} />;
    case "addHost":
      return <AddHostDialog onClose={close} />;
    case "trust":
      return <TrustDialog id={dialog.host} onClose={close} />;
    case "forget":
      return <ForgetDialog id={dialog.host} onClose={close} />;
    case "release":
      return <ReleaseDialog id={dialog.root} onClose={close} />;
    case "outcomes":
      return <OutcomesDialog outcomes={dialog.outcomes} onClose={close} />;
    case "absence":
      return <AbsenceDialog id={dialog.host} onClose={close} />;
    case "machine":
      return <MachineDialog id={dialog.host} onClose={close} />;
    case "conflicts":
      return <ConflictsDialog id={dialog.host} onClose={close} />;
    case "export":
      return <ExportDialog onClose={close} />;
    case "import":
      return <ImportDialog onClose={close} />;
    case "journal":
      return <JournalDialog onClose={close} />;
  }
}
