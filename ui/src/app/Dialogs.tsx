import { AbsenceDialog } from "../features/decisions/AbsenceDialog";
import { ConflictsDialog } from "../features/decisions/ConflictsDialog";
import { ForgetMissingDialog } from "../features/decisions/ForgetMissingDialog";
import { MachineDialog } from "../features/decisions/MachineDialog";
import { RelinkDialog } from "../features/decisions/RelinkDialog";
import { DeleteDialog } from "../features/deletion/DeleteDialog";
import { PendingDialog } from "../features/deletion/PendingDialog";
import { TrashDialog } from "../features/deletion/TrashDialog";
import { ExportDialog } from "../features/files/ExportDialog";
import { ImportDialog } from "../features/files/ImportDialog";
import { GroupDialog, RemoveGroupDialog } from "../features/groups/GroupDialog";
import { ShortcutsDialog } from "../features/help/ShortcutsDialog";
import { KitDialog } from "../features/gallery/KitDialog";
import { AddHostDialog } from "../features/hosts/AddHostDialog";
import { BannerDialog } from "../features/hosts/BannerDialog";
import { EditHostDialog } from "../features/hosts/EditHostDialog";
import { ForgetDialog } from "../features/hosts/ForgetDialog";
import { PromptDialog } from "../features/hosts/PromptDialog";
import { ReclaimDialog } from "../features/hosts/ReclaimDialog";
import { TraceDialog } from "../features/hosts/TraceDialog";
import { TrustDialog } from "../features/hosts/TrustDialog";
import { PaletteDialog } from "../features/palette/PaletteDialog";
import { CleanUpDialog } from "../features/plans/CleanUpDialog";
import { OnlyHereDialog } from "../features/plans/OnlyHereDialog";
import { BaseDialog } from "../features/register/BaseDialog";
import { OutcomesDialog } from "../features/register/Outcomes";
import { RegisterDialog } from "../features/register/RegisterDialog";
import { ReleaseDialog } from "../features/register/ReleaseDialog";
import { SearchDialog } from "../features/register/SearchDialog";
import { SettingsDialog } from "../features/settings/SettingsDialog";
import { CreateDialog } from "../features/verbs/CreateDialog";
import { ElsewhereDialog } from "../features/verbs/ElsewhereDialog";
import { FetchDialog } from "../features/verbs/FetchDialog";
import { WorktreeDialog } from "../features/verbs/WorktreeDialog";
import { SaveViewDialog } from "../features/views/SaveViewDialog";
import { useViewParts, useViewStore } from "../store/context";

const ASKED = ["prompts"] as const;
const OPEN = ["dialog"] as const;

/** The dialog that is open, and over it a question that waits for an answer, if any. */
export function Dialogs() {
  const { prompts } = useViewParts(ASKED);
  const [first] = prompts;
  return (
    <>
      <OpenDialog />
      {first !== undefined && <PromptDialog key={first.id} prompt={first} others={prompts.length - 1} />}
    </>
  );
}

function OpenDialog() {
  const { dialog } = useViewParts(OPEN);
  const { close } = useViewStore();
  switch (dialog?.is) {
    case undefined:
      return null;
    case "register":
      return <RegisterDialog host={dialog.host} onClose={close} />;
    case "search":
      return <SearchDialog host={dialog.host} folder={dialog.folder} onClose={close} />;
    case "base":
      return <BaseDialog id={dialog.root} onClose={close} />;
    case "addHost":
      return <AddHostDialog onClose={close} />;
    case "editHost":
      return <EditHostDialog id={dialog.host} onClose={close} />;
    case "trace":
      return <TraceDialog id={dialog.host} onClose={close} />;
    case "reclaim":
      return <ReclaimDialog id={dialog.host} onClose={close} />;
    case "banner":
      return <BannerDialog banner={dialog.banner} onClose={close} />;
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
    case "delete":
      return <DeleteDialog ids={dialog.ids} again={dialog.again} onClose={close} />;
    case "pending":
      return <PendingDialog onClose={close} />;
    case "trash":
      return <TrashDialog onClose={close} />;
    case "create":
      return <CreateDialog of={dialog.of} onClose={close} />;
    case "worktree":
      return <WorktreeDialog id={dialog.id} act={dialog.act} onClose={close} />;
    case "fetch":
      return <FetchDialog ids={dialog.ids} onClose={close} />;
    case "cleanUp":
      return <CleanUpDialog onClose={close} />;
    case "onlyHere":
      return <OnlyHereDialog id={dialog.host} onClose={close} />;
    case "kit":
      return <KitDialog onClose={close} />;
    case "relink":
      return <RelinkDialog id={dialog.id} onClose={close} />;
    case "forgetMissing":
      return <ForgetMissingDialog ids={dialog.ids} onClose={close} />;
    case "settings":
      return <SettingsDialog onClose={close} />;
    case "shortcuts":
      return <ShortcutsDialog onClose={close} />;
    case "elsewhere":
      return <ElsewhereDialog ids={dialog.ids} host={dialog.host} onClose={close} />;
    case "palette":
      return <PaletteDialog key={dialog.page} page={dialog.page} onClose={close} />;
    case "group":
      return (
        <GroupDialog
          id={dialog.id}
          parent={dialog.parent}
          members={dialog.members}
          name={dialog.name ?? ""}
          onClose={close}
        />
      );
    case "removeGroup":
      return <RemoveGroupDialog id={dialog.id} onClose={close} />;
    case "saveView":
      return <SaveViewDialog id={dialog.id} onClose={close} />;
  }
}
