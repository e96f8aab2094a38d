from django.contrib.admin.apps import AdminConfig


class StaffAdminConfig(AdminConfig):
    """Django's admin, on the site of staff."""

    default_site = "lobby.backoffice.site.StaffSite"
